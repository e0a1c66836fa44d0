//! The one call that enters the runtime, whatever form of function surrounds it.
//! Knows the names in `::graphfn::__private` and not what they do.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, ItemFn, ReturnType, Type};

use crate::attr::Options;
use crate::crossing;
use crate::declared::{Declared, DeclaredDim};
use crate::hygiene;
use crate::param::{Crossing, Param};

/// What differs between the calls of one traced function.
pub(crate) struct Entry {
    /// An expression for the function's `&'static GraphFn`.
    pub(crate) function: TokenStream,
    /// An expression for the mode.
    pub(crate) mode: TokenStream,
    /// Whether types outside the arguments (generics, `Self`) are part of the signature.
    pub(crate) is_generic: bool,
}

/// The statements that hand the arguments and the body to the runtime.
///
/// Their value is a `Result<Outcome<R>, Error>`. Each user's type is named once, as the `Self` of a
/// trait, so that a type that does not fit is one error at the place where the user wrote it.
pub(crate) fn enter(item: &ItemFn, options: &Options, entry: &Entry) -> TokenStream {
    let params = params(item);
    let [key, names, map] = ["key", "names", "map"].map(hygiene::local);
    let prepared = params.iter().map(crossing::prepare);
    let keys = params.iter().map(|param| crossing::key(param, &key, &options.signature));
    let leaves = params.iter().map(|param| crossing::leaves(param, &names));
    let binds = params.iter().map(|param| crossing::bind(param, &map));
    let body = body(item);

    let Entry { function, mode, is_generic } = entry;
    let type_of = hygiene::local("type_of");
    let (define, type_of) = if *is_generic {
        (quote!(let #type_of = || ();), quote!(::core::option::Option::Some(&#type_of)))
    } else {
        (quote!(), quote!(::core::option::Option::None::<&()>))
    };
    let output = output(item);
    let output = quote_spanned! {hygiene::at(output.span())=>
        <#output as ::graphfn::__private::Output>
    };
    let walks = quote!(|#key| { #(#keys)* }, |#names| { #(#leaves)* });

    let written: Vec<&Param> = params.iter().filter(|param| param.is_written_back()).collect();
    if written.is_empty() {
        return quote! {
            #(#prepared)* #define
            #output::enter(#function, #mode, #type_of, #walks, |#map| { #(#binds)* #body })
        };
    }
    let values = written.iter().map(|param| &param.value);
    let owned: Vec<Ident> = written.iter().map(|param| param.owned()).collect();
    let written = written.iter().map(|param| param.written());
    quote! {
        #(#prepared)* #define
        ::graphfn::__private::write_back(
            #output::enter_mut(#function, #mode, #type_of, #walks, |#map| {
                #(#binds)*
                (#body, (#(#written,)*))
            }),
            |(#(#owned,)*)| { #(*#values = #owned.value;)* },
        )
    }
}

/// The parameters of the function, the receiver first.
pub(crate) fn params(item: &ItemFn) -> Vec<Param> {
    let inputs = item.sig.inputs.iter().enumerate();
    inputs.map(|(index, arg)| Param::new(index, arg, &item.sig.generics)).collect()
}

/// An expression for a new static function named as the user's is.
pub(crate) fn static_function(item: &ItemFn, options: &Options) -> TokenStream {
    let name = item.sig.ident.unraw().to_string();
    let declared = options.signature.iter().map(|Declared { name, dtype, dims }| {
        let name = name.unraw().to_string();
        let dims = dims.iter().map(|dim| match dim {
            DeclaredDim::Known(size) => {
                quote!(::graphfn::__private::DeclaredDim::Known(#size as usize))
            }
            DeclaredDim::Unknown => quote!(::graphfn::__private::DeclaredDim::Unknown),
            DeclaredDim::Named(name) => {
                let name = name.to_string();
                quote!(::graphfn::__private::DeclaredDim::Named(#name))
            }
        });
        quote!(::graphfn::__private::Declared {
            name: #name,
            dtype: <#dtype as ::graphfn::__private::Element>::DTYPE,
            dims: &[#(#dims),*],
        })
    });
    let signature = if options.signature.is_empty() {
        quote!()
    } else {
        quote!(.with_signature(&[#(#declared),*]))
    };
    quote! {
        static FUNCTION: ::graphfn::__private::GraphFn =
            ::graphfn::__private::GraphFn::new(#name)#signature;
        &FUNCTION
    }
}

/// The function's return type.
pub(crate) fn output(item: &ItemFn) -> Type {
    match &item.sig.output {
        ReturnType::Default => syn::parse_quote!(()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    }
}

/// `::<T, N>` for the function's own type and const parameters.
pub(crate) fn turbofish(item: &ItemFn) -> TokenStream {
    let names: Vec<&Ident> = item
        .sig
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    if names.is_empty() { quote!() } else { quote!(::<#(#names),*>) }
}

/// Whether the function's type is not settled by its name: generics, or `impl Trait` arguments.
pub(crate) fn is_generic(item: &ItemFn) -> bool {
    let has_hidden_type = |param: &Param| match &param.crossing {
        Crossing::Tree { ty, .. } => matches!(ty, Type::Infer(_)),
        Crossing::Slice { .. } | Crossing::Text | Crossing::Scalar { .. } => false,
        Crossing::Code { .. } => true,
    };
    !item.sig.generics.params.is_empty() || params(item).iter().any(has_hidden_type)
}

/// The `cfg`s of an item, which everything emitted for it repeats.
pub(crate) fn cfgs(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg"))
}

/// `#[track_caller]`, unless the user wrote it.
pub(crate) fn track_caller(attrs: &[Attribute]) -> TokenStream {
    let written = attrs.iter().any(|attr| attr.path().is_ident("track_caller"));
    if written { quote!() } else { quote!(#[track_caller]) }
}

/// The user's body as a call, so that `return` and `?` leave it and not what surrounds it.
fn body(item: &ItemFn) -> TokenStream {
    let mut block = item.block.as_ref().clone();
    if item.sig.receiver().is_some() {
        hygiene::rename_self(&mut block);
    }
    let output = output(item);
    quote!(::graphfn::__private::run(move || -> #output #block))
}
