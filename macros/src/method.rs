//! Functions of an impl: an inherent one has two siblings, one of a trait stands alone.
//! Does not know how a body is entered.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemFn;

use crate::attr::Options;
use crate::entry::{self, Entry};

/// The method `m`, and beside it `m_concrete_function` and `m_graph_fn`.
pub(crate) fn expand(item: &ItemFn, options: &Options) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = item;
    let name = &sig.ident;
    let (params, clause) = (&sig.generics.params, &sig.generics.where_clause);
    let fish = entry::turbofish(item);
    let (declared, passed): (Vec<_>, Vec<_>) =
        entry::params(item).into_iter().map(|param| (param.outer, param.value)).unzip();
    let concrete_function = format_ident!("{name}_concrete_function");
    let graph_fn = format_ident!("{name}_graph_fn");
    let cfgs: Vec<_> = entry::cfgs(attrs).collect();
    let concrete_doc = format!("The concrete function that `{name}` runs with these arguments.");
    let graph_doc = format!("The traced function behind `{name}`.");
    let static_function = entry::static_function(item, options);
    let function = traced(item, options, quote!(Self::#graph_fn()), true);
    quote! {
        #function

        #(#cfgs)*
        #[doc = #concrete_doc]
        #[allow(dead_code, deprecated, clippy::too_many_arguments, clippy::type_complexity)]
        #[track_caller]
        #vis fn #concrete_function<#params>(#(#declared),*) -> ::core::result::Result<
            ::graphfn::__private::ConcreteFunction, ::graphfn::__private::Error
        > #clause {
            ::graphfn::concrete_function_of(|| Self::#name #fish(#(#passed),*))
        }

        #(#cfgs)*
        #[doc = #graph_doc]
        #[allow(dead_code)]
        #vis fn #graph_fn() -> &'static ::graphfn::__private::GraphFn { #static_function }
    }
}

/// The function with its cache inside, and nothing beside it.
pub(crate) fn expand_alone(item: &ItemFn, options: &Options) -> TokenStream {
    let static_function = entry::static_function(item, options);
    // In a trait's impl `Self` may be any type; a function without a handle has none.
    let is_generic =
        options.in_trait.is_some() || item.sig.receiver().is_some() || entry::is_generic(item);
    traced(item, options, quote!({ #static_function }), is_generic)
}

fn traced(
    item: &ItemFn,
    options: &Options,
    function: TokenStream,
    is_generic: bool,
) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = item;
    let name = &sig.ident;
    let (params, clause) = (&sig.generics.params, &sig.generics.where_clause);
    let declared = entry::params(item).into_iter().map(|param| param.outer);
    let output = entry::output(item);
    let track = entry::track_caller(attrs);
    let mode = quote!(::graphfn::__private::Mode::Call);
    let enter = entry::enter(item, options, &Entry { function, mode, is_generic });
    quote! {
        #(#attrs)* #track
        #vis fn #name<#params>(#(#declared),*) -> #output #clause {
            ::graphfn::__private::value({ #enter })
        }
    }
}
