//! The attribute and derive macros of graphfn: entry points only.
//! They take tokens and give tokens, and know names in the runtime but nothing of what those do.

use proc_macro::TokenStream;

mod attr;
mod block;
mod check;
mod complaint;
mod crossing;
mod declared;
mod derive;
mod einsum;
mod entry;
mod expand;
mod function;
mod hygiene;
mod method;
mod param;

/// Turns a plain function over tensors into one that is traced once per signature and then replayed.
///
/// On `fn add(..)` it also makes the handle `add::`, with `concrete_function(..)`, `try_call(..)`,
/// `trace_count()`, `explain_retraces()`, `clear_cache()`, `set_cache_limit(n)` and `graph_fn()`.
/// The handle is a type named like the function. Where a module or a type of that name is already
/// in scope, choose another name with `handle = Name`, or go without it with `handle = none`.
///
/// On an inherent method `m` it makes the siblings `m_concrete_function(&self, ..)` and
/// `m_graph_fn()`. Methods of a trait go in a block that has the attribute too:
///
/// ```ignore
/// #[graph_fn]
/// impl Layer for Dense {
///     #[graph_fn]
///     fn call(&self, x: &Tensor) -> Tensor {
///         x.matmul(&self.weight)
///     }
/// }
/// ```
///
/// | option | meaning |
/// |---|---|
/// | `handle = Name`, `handle = none` | the name of a free function's handle, or no handle |
/// | `assoc` | this is an associated function without `self`, in an inherent impl |
/// | `in_trait` | this is a method of a trait, in an impl without the attribute |
/// | `signature(x: f32[?, 784], y: i32[n])` | sizes that may vary (`?`) or must agree (`n`) share one trace |
/// | `autograph = false` | leave `if`, `while` and `for` of the body alone |
///
/// A parameter marked `#[tensor]`, as in `#[tensor] lr: f32`, is passed as a number and is a scalar
/// `Tensor` in the body, so its value is not part of the signature.
#[proc_macro_attribute]
pub fn graph_fn(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(options.into(), item.into()).into()
}

/// A sum of products, said with a letter for each axis, as `numpy.einsum` does: `einsum!("bij,bjk->bik", &a, &b)`.
///
/// The literal is read at compile time. Letters that the result lacks are summed; a letter that is twice in one term is a
/// diagonal; `...` stands for axes that have no letter, which broadcast. Without `->` the result has the letters that
/// are there once, in alphabetical order. Operands are tensors, variables or arrays of one type, multiplied from the first on.
#[proc_macro]
pub fn einsum(call: TokenStream) -> TokenStream {
    einsum::expand(call.into()).into()
}

/// Makes a struct or an enum a tree of tensors, variables and plain values.
///
/// Its fields give the scopes: in `struct Model { dense1: Dense }` the variables of the layer are
/// named `dense1/weight` and `dense1/bias`. Types with lifetime parameters are refused, because a
/// tree is rebuilt from owned parts.
#[proc_macro_derive(Tree)]
pub fn derive_tree(item: TokenStream) -> TokenStream {
    derive::expand(syn::parse_macro_input!(item as syn::DeriveInput)).into()
}
