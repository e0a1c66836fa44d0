//! Everything that can be seen to be wrong before anything is emitted, told all at once.
//! Sees syntax only; what needs types is left to the bounds of the runtime.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{FnArg, ItemFn, PatType, ReturnType, Signature, Type};

use crate::attr::{Handle, Options};
use crate::complaint::{Complaints, did_you_mean};
use crate::expand::Form;
use crate::{hygiene, param};

/// Complains about everything in `item` and in the options that cannot be traced or cannot be meant.
pub(crate) fn check(item: &ItemFn, options: &Options, form: Form, complaints: &mut Complaints) {
    check_qualifiers(&item.sig, complaints);
    for arg in &item.sig.inputs {
        match arg {
            FnArg::Receiver(receiver) => check_receiver(receiver, complaints),
            FnArg::Typed(typed) => check_parameter(typed, complaints),
        }
    }
    if let ReturnType::Type(_, ty) = &item.sig.output {
        check_return(ty, complaints);
    }
    check_options(item, options, form, complaints);
    check_self(item, form, complaints);
}

fn check_qualifiers(sig: &Signature, complaints: &mut Complaints) {
    if let Some(word) = &sig.asyncness {
        complaints.add(
            word,
            "`#[graph_fn]` cannot trace an `async fn`: a graph has nowhere to wait",
            "move the part between two `.await`s into a plain function",
        );
    }
    if let Some(word) = &sig.constness {
        complaints.add(
            word,
            "`#[graph_fn]` cannot be `const`: tracing happens at run time",
            "remove `const`",
        );
    }
    if let Some(word) = &sig.unsafety {
        complaints.add(
            word,
            "`#[graph_fn]` cannot be `unsafe`: a replay would not run the body it vouches for",
            "put an `unsafe` block into the body",
        );
    }
    if let Some(word) = &sig.abi {
        complaints.add(
            word,
            "`#[graph_fn]` cannot have a foreign ABI",
            "call it from an `extern` function of its own",
        );
    }
    if let Some(dots) = &sig.variadic {
        complaints.add(
            dots,
            "`#[graph_fn]` cannot take a variable number of arguments",
            "take a slice: `xs: &[Tensor]`",
        );
    }
}

fn check_receiver(receiver: &syn::Receiver, complaints: &mut Complaints) {
    if receiver.colon_token.is_some() {
        complaints.add(
            receiver,
            "`#[graph_fn]` cannot rebuild a `self` of a written type",
            "take `&self`, `&mut self` or `self`",
        );
    }
}

fn check_parameter(typed: &PatType, complaints: &mut Complaints) {
    let pat = typed.pat.to_token_stream();
    if let Some(attr) = typed.attrs.iter().find(|a| is_conditional(a)) {
        complaints.add(
            attr,
            format!("`{pat}` comes and goes with a `cfg`, so the function has no one signature"),
            "put the `cfg` on two versions of the function",
        );
    }
    if param::is_scalar(typed) {
        check_scalar(typed, complaints);
        return;
    }
    let inner = match &*typed.ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    if let Some((what, help)) = cannot_cross(&typed.ty, inner, &pat.to_string()) {
        complaints.add(&typed.ty, what, help);
    }
}

fn is_conditional(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")
}

fn check_scalar(typed: &PatType, complaints: &mut Complaints) {
    let pat = typed.pat.to_token_stream();
    let names_tensor = |ty: &Type| {
        matches!(ty, Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "Tensor"))
    };
    match &*typed.ty {
        Type::Reference(reference) if !names_tensor(&reference.elem) => complaints.add(
            &typed.ty,
            format!("`#[tensor] {pat}` is passed as a number, found a reference"),
            format!("take it by value: `#[tensor] {pat}: {}`", reference.elem.to_token_stream()),
        ),
        Type::Reference(_) => tensor_already(typed, complaints),
        ty if names_tensor(ty) => tensor_already(typed, complaints),
        _ => {}
    }
}

fn tensor_already(typed: &PatType, complaints: &mut Complaints) {
    let pat = typed.pat.to_token_stream();
    complaints.add(&typed.ty, format!("`{pat}` is a tensor already"), "remove `#[tensor]`");
}

/// Why a parameter of type `whole`, `inner` behind its reference, cannot be rebuilt in a trace.
fn cannot_cross(whole: &Type, inner: &Type, pat: &str) -> Option<(String, String)> {
    let exclusive = matches!(whole, Type::Reference(whole) if whole.mutability.is_some());
    if exclusive && let Type::Slice(slice) = inner {
        let elem = slice.elem.to_token_stream();
        return Some((
            format!("`{pat}` cannot be written back through a slice"),
            format!("take `&mut Vec<{elem}>`, or return the new values"),
        ));
    }
    if exclusive && matches!(inner, Type::Path(path) if path.path.is_ident("str")) {
        return Some((
            format!("`{pat}` cannot be written back through a `str`"),
            "take `&mut String`".to_owned(),
        ));
    }
    if let Some(bounds) = param::impl_bounds(inner) {
        return param::bounds_name(bounds, &["FnOnce"]).then(|| {
            (
                format!("`{pat}` can be called only once, and a body may run several times"),
                "take `impl Fn`".to_owned(),
            )
        });
    }
    if let Type::TraitObject(object) = inner {
        let help = match param::bounds_name(&object.bounds, &["Fn", "FnMut"]) {
            true => "take `impl Fn`",
            false => "name its type with a generic parameter that is a `Tree`",
        };
        return Some((
            format!("`{pat}` is a trait object, and a trace has to know what is in it"),
            help.to_owned(),
        ));
    }
    let mut parts = Parts::default();
    parts.visit_type(inner);
    if parts.implied {
        return Some((
            format!("`{pat}` hides a type inside another"),
            "name it with a generic parameter: `fn f<T: Tree>(..)`".to_owned(),
        ));
    }
    parts.borrowed.then(|| {
        (
            format!(
                "`{pat}` holds references, and a trace rebuilds its arguments from owned parts"
            ),
            "put one `&` in front of owned values: `&[Tensor]`, `&Option<Tensor>`".to_owned(),
        )
    })
}

fn check_return(ty: &Type, complaints: &mut Complaints) {
    let mut parts = Parts::default();
    parts.visit_type(ty);
    if parts.implied {
        complaints.add(
            ty,
            "`#[graph_fn]` must know the type it returns, found `impl Trait`",
            "name the type",
        );
    } else if parts.borrowed {
        complaints.add(
            ty,
            "`#[graph_fn]` cannot return a borrow: a replay makes new values",
            "return an owned value, as `x.clone()` is",
        );
    }
}

/// What a type is made of, as far as a trace cares.
#[derive(Default)]
struct Parts {
    borrowed: bool,
    implied: bool,
}

impl<'ast> Visit<'ast> for Parts {
    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        self.borrowed |= reference.lifetime.as_ref().is_none_or(|l| l.ident != "static");
        visit::visit_type_reference(self, reference);
    }

    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
        self.implied = true;
    }

    // The references in `Fn(&Tensor)` and `fn(&Tensor)` are not held.
    fn visit_parenthesized_generic_arguments(
        &mut self,
        _: &'ast syn::ParenthesizedGenericArguments,
    ) {
    }

    fn visit_type_bare_fn(&mut self, _: &'ast syn::TypeBareFn) {}
}

fn check_options(item: &ItemFn, options: &Options, form: Form, complaints: &mut Complaints) {
    if let (Some(assoc), Some(_)) = (&options.assoc, item.sig.receiver()) {
        complaints.add(
            assoc,
            "`assoc` is for functions without `self`, found a method",
            "remove `assoc`",
        );
    }
    if let (Some(assoc), Some(_)) = (&options.assoc, &options.in_trait) {
        complaints.add(
            assoc,
            "`assoc` and `in_trait` exclude each other",
            "keep `in_trait` in a trait's impl, `assoc` in an inherent one",
        );
    }
    if let (Handle::Named(name) | Handle::None(name), true) = (&options.handle, form != Form::Free)
    {
        complaints.add(
            name,
            "`handle` is for free functions, found one of an impl",
            "remove it: a method has `_concrete_function` and `_graph_fn` beside it",
        );
    }
    for declared in &options.signature {
        check_declared(item, &declared.name, complaints);
    }
}

fn check_declared(item: &ItemFn, name: &Ident, complaints: &mut Complaints) {
    let names: Vec<String> = item
        .sig
        .inputs
        .iter()
        .filter_map(|arg| match arg {
            FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(pat) => Some(pat.ident.to_string()),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
        .collect();
    if !names.iter().any(|known| name == known) {
        complaints.add(
            name,
            format!("`{name}` in `signature` is not a parameter of `{}`", item.sig.ident),
            did_you_mean(&name.to_string(), names.iter().map(String::as_str)),
        );
    }
}

fn check_self(item: &ItemFn, form: Form, complaints: &mut Complaints) {
    if item.sig.receiver().is_some() {
        for literal in hygiene::rename_self(&mut item.block.as_ref().clone()) {
            complaints.add(
                literal,
                "`{self}` in a format string would show the caller's value, not the traced one",
                "write `{}` and pass `self` as an argument",
            );
        }
    }
    if form == Form::Free {
        let mut mention = SelfType(None);
        mention.visit_item_fn(item);
        if let Some(found) = mention.0 {
            complaints.add(
                found,
                format!("`{}` names `Self` but takes no `self`", item.sig.ident),
                "write `#[graph_fn(assoc)]` on an associated function",
            );
        }
    }
}

/// The first `Self` of a function.
struct SelfType(Option<Ident>);

impl<'ast> Visit<'ast> for SelfType {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let first = path.segments.first().filter(|first| first.ident == "Self");
        if let (None, Some(first)) = (&self.0, first) {
            self.0 = Some(Ident::new("Self", first.span()));
        }
        visit::visit_path(self, path);
    }

    // A nested item has a `Self` of its own.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
