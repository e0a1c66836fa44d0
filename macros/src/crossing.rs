//! What each parameter contributes to the walks of a call and to the body.
//! Knows the names of the runtime's traits and not what a leaf is.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::declared::Declared;
use crate::hygiene;
use crate::param::{By, Crossing, Param};

/// What happens to the parameter before its function is entered.
pub(crate) fn prepare(param: &Param) -> TokenStream {
    let value = &param.value;
    match &param.crossing {
        Crossing::Tree { .. } | Crossing::Slice { .. } | Crossing::Text => quote!(),
        Crossing::Scalar { ty } => {
            let scalar = param.scalar();
            quote_spanned! {hygiene::at(ty.span())=>
                let #scalar = <#ty as ::graphfn::__private::Number>::scalar(#value);
            }
        }
        Crossing::Code { ty, by } => {
            let code = if *by == By::Shared { quote!(#value) } else { quote!(&#value) };
            let mutable = (*by == By::Exclusive).then(|| quote!(let mut #value = #value;));
            quote_spanned! {hygiene::at(ty.span())=>
                ::graphfn::__private::zero_sized(#code); #mutable
            }
        }
    }
}

/// The parameter's part of the key.
pub(crate) fn key(param: &Param, key: &Ident, signature: &[Declared]) -> TokenStream {
    let label = param.label.as_deref();
    let declared =
        signature.iter().position(|entry| label.is_some_and(|l| entry.name.unraw() == l));
    let declare = declared.map(|index| quote!(#key.declare(#index);));
    let walk = walk(param, "key", key).map(|walk| quote!(#walk;));
    quote!(#declare #walk)
}

/// The names of the parameter's leaves.
pub(crate) fn leaves(param: &Param, names: &Ident) -> TokenStream {
    match (walk(param, "leaves", names), &param.label) {
        (None, _) => quote!(),
        (Some(walk), Some(label)) => quote!(#names.argument(#label, |#names| #walk);),
        (Some(walk), None) => quote!(#names.receiver(|#names| #walk);),
    }
}

/// The binding of the parameter in the body, around symbolic leaves.
pub(crate) fn bind(param: &Param, map: &Ident) -> TokenStream {
    let (pattern, value, owned) = (&param.pattern, &param.value, param.owned());
    let mapped = walk(param, "map", map);
    match &param.crossing {
        Crossing::Tree { ty, by: By::Value } => quote!(let #pattern: #ty = #mapped;),
        Crossing::Tree { ty, by: By::Shared } => {
            quote!(let #owned = #mapped; let #pattern: &#ty = &#owned;)
        }
        Crossing::Tree { ty, by: By::Exclusive } => {
            quote!(let mut #owned = #mapped; let #pattern: &mut #ty = &mut #owned;)
        }
        Crossing::Slice { elem } => {
            quote!(let #owned = #mapped; let #pattern: &[#elem] = &#owned;)
        }
        Crossing::Text => quote!(let #pattern = #value;),
        Crossing::Scalar { .. } => {
            quote!(let #pattern: ::graphfn::__private::Tensor = #mapped;)
        }
        Crossing::Code { by, .. } => {
            let code = match by {
                By::Value => quote!(&#value),
                By::Shared => quote!(#value),
                By::Exclusive => quote!(&mut #value),
            };
            quote!(#[allow(unused_mut)] let #pattern = #code;)
        }
    }
}

impl Param {
    /// Whether the body's changes of it are the caller's to see.
    pub(crate) fn is_written_back(&self) -> bool {
        matches!(self.crossing, Crossing::Tree { by: By::Exclusive, .. })
    }

    /// What holds a number until the body takes it for a tensor.
    fn scalar(&self) -> Ident {
        hygiene::local(&format!("scalar{}", self.index))
    }

    /// What holds the parameter's symbolic value.
    pub(crate) fn owned(&self) -> Ident {
        hygiene::local(&format!("owned{}", self.index))
    }

    /// The symbolic value as the body left it, ready to be written back.
    pub(crate) fn written(&self) -> TokenStream {
        let owned = self.owned();
        match &self.crossing {
            Crossing::Tree { ty, .. } => quote_spanned! {hygiene::at(ty.span())=>
                <#ty as ::graphfn::Tree>::written(#owned)
            },
            _ => quote!(#owned),
        }
    }
}

/// A call of one of the walks: `<T as Tree>::key(value, key)`. Code has none.
///
/// The user's type is the `Self` of the call and stands in no other bound, so a type that does not
/// fit is one error, at the place where the user wrote it.
fn walk(param: &Param, method: &str, with: &Ident) -> Option<TokenStream> {
    let value = &param.value;
    let method = hygiene::local(method);
    Some(match &param.crossing {
        Crossing::Tree { ty, by } => {
            let reference = match by {
                By::Value => quote!(&#value),
                By::Shared => quote!(#value),
                By::Exclusive => quote!(&*#value),
            };
            quote_spanned! {hygiene::at(ty.span())=>
                <#ty as ::graphfn::Tree>::#method(#reference, #with)
            }
        }
        Crossing::Slice { elem } => {
            let method = format_ident!("{method}_slice");
            quote_spanned! {hygiene::at(elem.span())=>
                <#elem as ::graphfn::Tree>::#method(#value, #with)
            }
        }
        Crossing::Scalar { .. } => {
            let scalar = param.scalar();
            quote!(#scalar.#method(#with))
        }
        Crossing::Text => quote!(#with.text(#value)),
        Crossing::Code { .. } => return None,
    })
}
