//! From an attribute and an item to what is emitted for them.
//! Decides which form is expanded; expands none itself.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemFn, TraitItemFn};

use crate::attr::{Handle, Options};
use crate::complaint::Complaints;
use crate::{block, check, function, method};

/// Where a traced function stands, which decides what may be emitted beside it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// A function of a module or a block.
    Free,
    /// A function of an inherent impl, with or without `self`.
    Inherent,
    /// A function of a trait's impl, where nothing may stand beside it.
    InTrait,
}

/// Expands `#[graph_fn(options)] item`.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut complaints = Complaints::default();
    if let Ok(function) = syn::parse2::<ItemFn>(item.clone()) {
        let options = Options::parse(options, &mut complaints);
        let form = if options.in_trait.is_some() {
            Form::InTrait
        } else if options.assoc.is_some() || function.sig.receiver().is_some() {
            Form::Inherent
        } else {
            Form::Free
        };
        return checked(function, &options, form, complaints);
    }
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(item)) => block::expand(item, options),
        Ok(Item::Verbatim(tokens)) => without_body(tokens),
        Ok(other) => {
            refuse(&other, &mut complaints);
            let complaints = complaints.to_tokens();
            quote!(#other #complaints)
        }
        // The compiler tells what is wrong with the user's own tokens.
        Err(_) => item,
    }
}

/// Expands a function in the given form, or gives it back with what is wrong with it.
pub(crate) fn checked(
    item: ItemFn,
    options: &Options,
    form: Form,
    mut complaints: Complaints,
) -> TokenStream {
    check::check(&item, options, form, &mut complaints);
    if !complaints.is_empty() {
        let item = as_written(item);
        let complaints = complaints.to_tokens();
        return quote!(#item #complaints);
    }
    match (form, &options.handle) {
        (Form::Free, Handle::Own) => function::expand(&item, &item.sig.ident, options),
        (Form::Free, Handle::Named(handle)) => function::expand(&item, handle, options),
        (Form::Inherent, _) => method::expand(&item, options),
        (Form::Free, Handle::None(_)) | (Form::InTrait, _) => method::expand_alone(&item, options),
    }
}

/// A method that a trait only declares.
fn without_body(item: TokenStream) -> TokenStream {
    let mut complaints = Complaints::default();
    match syn::parse2::<TraitItemFn>(item.clone()) {
        Ok(method) => complaints.add(
            &method.sig.ident,
            format!("`{}` has no body to trace", method.sig.ident),
            "put `#[graph_fn]` on its implementations",
        ),
        Err(_) => return item,
    }
    let complaints = complaints.to_tokens();
    quote!(#item #complaints)
}

/// The user's function without our marks, so that the rest of the program finds it.
fn as_written(mut item: ItemFn) -> ItemFn {
    item.sig.variadic = None;
    let mut scalars = false;
    for arg in &mut item.sig.inputs {
        if let syn::FnArg::Typed(typed) = arg {
            let attrs = typed.attrs.len();
            typed.attrs.retain(|attr| !attr.path().is_ident("tensor"));
            scalars |= typed.attrs.len() < attrs;
        }
    }
    if scalars {
        // The body takes its numbers for tensors; without the mark nothing in it would fit.
        item.attrs.push(syn::parse_quote!(#[allow(unused)]));
        item.block = syn::parse_quote!({ ::core::unreachable!() });
    }
    item
}

fn refuse(item: &Item, complaints: &mut Complaints) {
    let (name, help) = match item {
        Item::Struct(item) => (&item.ident, "for a struct write `#[derive(Tree)]`"),
        Item::Enum(item) => (&item.ident, "for an enum write `#[derive(Tree)]`"),
        Item::Trait(item) => (&item.ident, "put it on the impl blocks of the trait"),
        Item::Mod(item) => (&item.ident, "put it on the functions of the module"),
        other => {
            let help = "put it on a function or on an impl block";
            return complaints.add(other, "`#[graph_fn]` goes on a function", help);
        }
    };
    complaints.add(name, format!("`#[graph_fn]` goes on a function, found `{name}`"), help);
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{ImplItem, ItemImpl};

    fn names(item: &ItemImpl) -> Vec<String> {
        let functions = item.items.iter().map(|item| match item {
            ImplItem::Fn(function) => function.sig.ident.to_string(),
            other => panic!("{} is no function", quote!(#other)),
        });
        functions.collect()
    }

    fn in_an_impl(options: TokenStream, method: TokenStream) -> Vec<String> {
        let methods = attribute(options, method);
        names(&syn::parse2(quote!(impl Model { #methods })).expect("methods are emitted"))
    }

    #[test]
    fn a_free_function_has_a_handle() {
        let emitted = attribute(
            quote!(),
            quote!(
                pub fn add(a: &Tensor) -> Tensor {
                    a + 1.0
                }
            ),
        );
        let file: syn::File = syn::parse2(emitted).expect("items are emitted");
        let [Item::Fn(function), Item::Enum(handle), Item::Impl(asked)] = &file.items[..] else {
            panic!("a function, its handle and an impl are emitted");
        };
        assert!(function.sig.ident == "add" && handle.ident == "add");
        assert_eq!(
            names(asked),
            [
                "graph_fn",
                "concrete_function",
                "try_call",
                "trace_count",
                "explain_retraces",
                "clear_cache",
                "set_cache_limit",
                "__enter",
            ]
        );
    }

    #[test]
    fn a_method_has_two_siblings_and_one_of_a_trait_has_none() {
        let method = || {
            quote!(
                fn call(&self, x: &Tensor) -> Tensor {
                    x * &self.w
                }
            )
        };
        assert_eq!(
            in_an_impl(quote!(), method()),
            ["call", "call_concrete_function", "call_graph_fn"]
        );
        assert_eq!(in_an_impl(quote!(in_trait), method()), ["call"]);
        let associated = quote!(
            fn new() -> Self {
                todo()
            }
        );
        assert_eq!(
            in_an_impl(quote!(assoc), associated),
            ["new", "new_concrete_function", "new_graph_fn"]
        );
    }

    #[test]
    fn a_mistake_leaves_the_function_there() {
        let emitted = attribute(
            quote!(typo),
            quote!(
                fn add(#[tensor] a: f32) -> Tensor {
                    a + 1.0
                }
            ),
        );
        let file: syn::File = syn::parse2(emitted).expect("items are emitted");
        let [Item::Fn(function), Item::Macro(error)] = &file.items[..] else {
            panic!("the function and one error are emitted");
        };
        assert_eq!(function.sig.ident, "add");
        assert!(error.mac.path.segments.last().expect("a name").ident == "compile_error");
    }
}
