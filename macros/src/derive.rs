//! `#[derive(Tree)]`: walks and rebuilds a type field by field.
//! Knows the trait's three methods and nothing of what a leaf is.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, GenericParam, Index, parse_quote};

use crate::complaint::Complaints;
use crate::hygiene;

/// The impl of `Tree` for the type, or what is wrong with it.
pub(crate) fn expand(input: DeriveInput) -> TokenStream {
    let mut complaints = Complaints::default();
    check(&input, &mut complaints);
    if !complaints.is_empty() {
        return complaints.to_tokens();
    }
    let arms: Vec<Arms> = match &input.data {
        Data::Struct(data) => vec![arms(quote!(Self), &data.fields, None)],
        Data::Enum(data) => {
            let variants = data.variants.iter().enumerate();
            variants
                .map(|(i, variant)| {
                    let name = &variant.ident;
                    arms(quote!(Self::#name), &variant.fields, Some(i as u64))
                })
                .collect()
        }
        Data::Union(_) => vec![],
    };
    let walk = |body: Vec<&TokenStream>| match body.is_empty() {
        true => quote!(match *self {}),
        false => quote!(match self { #(#body)* }),
    };
    let keys = walk(arms.iter().map(|arm| &arm.key).collect());
    let leaves = walk(arms.iter().map(|arm| &arm.leaves).collect());
    let maps = walk(arms.iter().map(|arm| &arm.map).collect());

    let [key, names, map] = ["key", "names", "map"].map(hygiene::local);
    let name = &input.ident;
    let generics = bounded(input.generics.clone());
    let (params, arguments, clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, deprecated)]
        impl #params ::graphfn::Tree for #name #arguments #clause {
            fn key<'a>(&'a self, #key: &mut ::graphfn::__private::Key<'a>) { #keys }

            fn leaves(&self, #names: &mut ::graphfn::__private::Names<'_>) { #leaves }

            fn map(&self, #map: &mut ::graphfn::__private::Mapping<'_>) -> Self { #maps }
        }
    }
}

fn check(input: &DeriveInput, complaints: &mut Complaints) {
    let name = &input.ident;
    if let Data::Union(data) = &input.data {
        complaints.add(
            data.union_token,
            format!("`{name}` is a union, and a tree must know which of its fields is there"),
            "make it an enum",
        );
    }
    for param in &input.generics.params {
        if let GenericParam::Lifetime(param) = param {
            complaints.add(
                param,
                format!("`{name}` borrows, and a tree is rebuilt from owned parts"),
                "hold owned fields: tensors and variables are cheap to clone",
            );
        }
    }
}

/// Every type parameter has to be a tree too.
fn bounded(mut generics: syn::Generics) -> syn::Generics {
    let params: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    let clause = generics.make_where_clause();
    for param in params {
        clause.predicates.push(parse_quote!(#param: ::graphfn::Tree));
    }
    generics
}

/// The arms of one struct or variant, in the three walks.
struct Arms {
    key: TokenStream,
    leaves: TokenStream,
    map: TokenStream,
}

fn arms(path: TokenStream, fields: &Fields, tag: Option<u64>) -> Arms {
    let [key, names, map] = ["key", "names", "map"].map(hygiene::local);
    let (mut binds, mut keys, mut leaves, mut maps) = (vec![], vec![], vec![], vec![]);
    for (i, field) in fields.iter().enumerate() {
        let ty = &field.ty;
        let bound = hygiene::local(&format!("field{i}"));
        let member = match &field.ident {
            Some(name) => name.to_token_stream(),
            None => Index::from(i).to_token_stream(),
        };
        let span = hygiene::at(ty.span());
        let tree = quote_spanned!(span=> <#ty as ::graphfn::Tree>);
        let walk = quote_spanned!(span=> #tree::leaves(#bound, #names));
        keys.push(quote_spanned!(span=> #tree::key(#bound, #key);));
        leaves.push(match &field.ident {
            Some(name) => {
                let label = name.unraw().to_string();
                quote!(#names.field(#label, |#names| #walk);)
            }
            None => quote!(#names.index(#i, |#names| #walk);),
        });
        maps.push(quote_spanned!(span=> #member: #tree::map(#bound, #map)));
        binds.push(quote!(#member: #bound));
    }
    let tag = tag.map(|tag| quote!(#key.tag(#tag);));
    let pattern = quote!(#path { #(#binds),* });
    Arms {
        key: quote!(#pattern => { #tag #(#keys)* }),
        leaves: quote!(#pattern => { #(#leaves)* }),
        map: quote!(#pattern => #path { #(#maps),* },),
    }
}
