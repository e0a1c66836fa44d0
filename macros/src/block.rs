//! `#[graph_fn] impl ..`: the block tells whether its marked functions belong to a trait.
//! Expands nothing itself.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, ImplItem, ImplItemFn, ItemFn, ItemImpl, Meta};

use crate::attr::Options;
use crate::complaint::Complaints;
use crate::expand::{self, Form};

/// The block with every function marked `#[graph_fn]` expanded.
pub(crate) fn expand(block: ItemImpl, options: TokenStream) -> TokenStream {
    let mut complaints = Complaints::default();
    if !options.is_empty() {
        complaints.add(
            options,
            "an impl block takes no options",
            "put them on the functions: `#[graph_fn(..)] fn call(..)`",
        );
    }
    let form = if block.trait_.is_some() { Form::InTrait } else { Form::Inherent };
    let is_marked =
        |item: &ImplItem| matches!(item, ImplItem::Fn(f) if f.attrs.iter().any(is_mark));
    if !block.items.iter().any(is_marked) {
        complaints.add(
            block.impl_token,
            "no function of this block is marked",
            "write `#[graph_fn]` on each function to be traced as well",
        );
    }

    let ItemImpl { attrs, defaultness, unsafety, impl_token, generics, trait_, self_ty, .. } =
        &block;
    let (params, clause) = (&generics.params, &generics.where_clause);
    let of = trait_.as_ref().map(|(not, path, word)| quote!(#not #path #word));
    let items = block.items.iter().map(|item| match item {
        ImplItem::Fn(function) => expand_function(function, form),
        other => quote!(#other),
    });
    let complaints = complaints.to_tokens();
    quote! {
        #(#attrs)* #defaultness #unsafety #impl_token<#params> #of #self_ty #clause { #(#items)* }
        #complaints
    }
}

fn expand_function(function: &ImplItemFn, form: Form) -> TokenStream {
    let Some(mark) = function.attrs.iter().find(|attr| is_mark(attr)) else {
        return quote!(#function);
    };
    let mut complaints = Complaints::default();
    let written = match &mark.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    let mut options = Options::parse(written, &mut complaints);
    if form == Form::InTrait {
        options.in_trait.get_or_insert_with(|| syn::parse_quote!(in_trait));
    }
    let item = ItemFn {
        attrs: function.attrs.iter().filter(|attr| !is_mark(attr)).cloned().collect(),
        vis: function.vis.clone(),
        sig: function.sig.clone(),
        block: Box::new(function.block.clone()),
    };
    expand::checked(item, &options, form, complaints)
}

/// `#[graph_fn]`, however its path is written.
fn is_mark(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "graph_fn")
}
