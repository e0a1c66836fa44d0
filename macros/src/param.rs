//! Parameters: what the emitted functions call each one, and how its value crosses into a trace.
//! Reads syntax only; does not know what the runtime does with a value.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, Generics, Pat, PatType, Receiver, Token, Type, TypeParamBound};
use syn::{WherePredicate, parse_quote};

use crate::hygiene;

type Bounds = syn::punctuated::Punctuated<TypeParamBound, Token![+]>;

/// One parameter of a traced function.
pub(crate) struct Param {
    pub(crate) index: usize,
    /// Its name in messages and scopes; the receiver has none.
    pub(crate) label: Option<String>,
    /// The parameter as the emitted functions declare it.
    pub(crate) outer: TokenStream,
    /// Its value as the emitted functions see it.
    pub(crate) value: TokenStream,
    /// What the body binds.
    pub(crate) pattern: TokenStream,
    pub(crate) crossing: Crossing,
}

/// How a value gets from the caller into the body.
pub(crate) enum Crossing {
    /// Taken apart into its leaves and rebuilt around symbolic ones.
    Tree { ty: Type, by: By },
    /// `&[T]`: a row of trees.
    Slice { elem: Type },
    /// `&str`: the same in every run of a trace.
    Text,
    /// `#[tensor]`: a number outside, a scalar tensor inside.
    Scalar { ty: Type },
    /// `impl Fn`: nothing but code, known by its type.
    Code { ty: Type, by: By },
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum By {
    Value,
    Shared,
    Exclusive,
}

impl Param {
    /// Reads the parameter at `index` of a signature whose generics are given.
    pub(crate) fn new(index: usize, arg: &FnArg, generics: &Generics) -> Param {
        match arg {
            FnArg::Receiver(receiver) => Param::receiver(index, receiver),
            FnArg::Typed(typed) => Param::typed(index, typed, generics),
        }
    }

    fn receiver(index: usize, receiver: &Receiver) -> Param {
        let by = match (&receiver.reference, &receiver.mutability) {
            (None, _) => By::Value,
            (Some(_), None) => By::Shared,
            (Some(_), Some(_)) => By::Exclusive,
        };
        let word = receiver.self_token;
        let inner = hygiene::traced_self(word.span);
        let (outer, pattern) = match (by, &receiver.mutability) {
            (By::Value, Some(mutable)) => (quote!(#word), quote!(#mutable #inner)),
            _ => (quote!(#receiver), quote!(#inner)),
        };
        let ty =
            Type::Path(syn::TypePath { qself: None, path: Ident::new("Self", word.span).into() });
        Param {
            index,
            label: None,
            outer,
            value: quote!(#word),
            pattern,
            crossing: Crossing::Tree { ty, by },
        }
    }

    fn typed(index: usize, typed: &PatType, generics: &Generics) -> Param {
        let attrs = typed.attrs.iter().filter(|attr| !attr.path().is_ident("tensor"));
        let ty = &typed.ty;
        let (label, name) = match &*typed.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                (syn::ext::IdentExt::unraw(&pat.ident).to_string(), pat.ident.clone())
            }
            _ => (format!("arg{index}"), hygiene::local(&format!("arg{index}"))),
        };
        Param {
            index,
            label: Some(label),
            outer: quote!(#(#attrs)* #name: #ty),
            value: name.to_token_stream(),
            pattern: typed.pat.to_token_stream(),
            crossing: crossing(typed, generics),
        }
    }
}

/// Whether the user marked the parameter `#[tensor]`.
pub(crate) fn is_scalar(typed: &PatType) -> bool {
    typed.attrs.iter().any(|attr| attr.path().is_ident("tensor"))
}

/// The bounds of `impl Trait`, where that is the whole type.
pub(crate) fn impl_bounds(ty: &Type) -> Option<&Bounds> {
    match ty {
        Type::ImplTrait(implied) => Some(&implied.bounds),
        Type::Paren(inner) => impl_bounds(&inner.elem),
        Type::Group(inner) => impl_bounds(&inner.elem),
        _ => None,
    }
}

/// Whether one of the bounds is a trait of one of these names.
pub(crate) fn bounds_name(bounds: &Bounds, names: &[&str]) -> bool {
    bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| names.iter().any(|n| last.ident == n))
        }
        _ => false,
    })
}

fn crossing(typed: &PatType, generics: &Generics) -> Crossing {
    if is_scalar(typed) {
        return Crossing::Scalar { ty: (*typed.ty).clone() };
    }
    let (ty, by) = match &*typed.ty {
        Type::Reference(reference) => {
            let exclusive = reference.mutability.is_some();
            (&*reference.elem, if exclusive { By::Exclusive } else { By::Shared })
        }
        value => (value, By::Value),
    };
    match ty {
        Type::Slice(slice) if by == By::Shared => {
            return Crossing::Slice { elem: (*slice.elem).clone() };
        }
        Type::Path(path) if by == By::Shared && path.path.is_ident("str") => {
            return Crossing::Text;
        }
        _ => {}
    }
    match impl_bounds(ty) {
        Some(bounds) if bounds_name(bounds, &["Tree"]) => {
            Crossing::Tree { ty: parse_quote!(_), by }
        }
        Some(bounds) if by == By::Value && bounds_name(bounds, &["FnMut"]) => {
            Crossing::Code { ty: ty.clone(), by: By::Exclusive }
        }
        Some(_) => Crossing::Code { ty: ty.clone(), by },
        None if is_code_parameter(ty, generics) => Crossing::Code { ty: ty.clone(), by },
        None => Crossing::Tree { ty: ty.clone(), by },
    }
}

/// Whether the type is a parameter `F` that is bound to be called, as in `F: Fn(&Tensor) -> Tensor`.
fn is_code_parameter(ty: &Type, generics: &Generics) -> bool {
    let Some(name) = ident_of(ty) else { return false };
    let in_where = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let is_parameter = generics.type_params().any(|param| param.ident == *name);
    let mut bounds = generics
        .type_params()
        .filter(|param| param.ident == *name)
        .map(|param| &param.bounds)
        .chain(in_where.filter_map(|predicate| match predicate {
            WherePredicate::Type(bound) if ident_of(&bound.bounded_ty) == Some(name) => {
                Some(&bound.bounds)
            }
            _ => None,
        }));
    is_parameter && bounds.any(|bounds| bounds_name(bounds, &["Fn", "FnMut"]))
}

fn ident_of(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}
