//! Free functions: the function itself, and its handle, a type of the same name.
//! Does not know how a body is entered.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, ItemFn};

use crate::attr::Options;
use crate::entry::{self, Entry};
use crate::hygiene;

/// The function, and `handle` with what can be asked of it.
pub(crate) fn expand(item: &ItemFn, handle: &Ident, options: &Options) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = item;
    let name = &sig.ident;
    let (params, clause) = (&sig.generics.params, &sig.generics.where_clause);
    let fish = entry::turbofish(item);
    let (declared, passed): (Vec<_>, Vec<_>) =
        entry::params(item).into_iter().map(|param| (param.outer, param.value)).unzip();
    let output = entry::output(item);

    let cfgs: Vec<_> = entry::cfgs(attrs).collect();
    let outer_attrs = attrs.iter().filter(|attr| !attr.path().is_ident("cfg")).map(allowed);
    let lints = attrs.iter().filter(|attr| is_lint(attr));
    let track = entry::track_caller(attrs);
    let doc = format!("The handle of [`{name}`]: its traces and its concrete functions.");

    let static_function = entry::static_function(item, options);
    let mode = hygiene::local("mode");
    let entry = Entry {
        function: quote!(Self::graph_fn()),
        mode: quote!(#mode),
        is_generic: entry::is_generic(item),
    };
    let enter = entry::enter(item, options, &entry);
    let questions = questions(vis);
    let handle_type = quote_spanned!(hygiene::at(handle.span())=> #vis enum #handle {});
    quote! {
        #(#cfgs)* #(#outer_attrs)* #track
        #vis fn #name<#params>(#(#declared),*) -> #output #clause {
            ::graphfn::__private::value(
                <#handle>::__enter #fish(::graphfn::__private::Mode::Call, #(#passed),*),
            )
        }

        #(#cfgs)*
        #[doc = #doc]
        #[allow(non_camel_case_types)]
        #handle_type

        #(#cfgs)*
        #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
        impl #handle {
            /// The traced function behind this handle.
            #vis fn graph_fn() -> &'static ::graphfn::__private::GraphFn { #static_function }

            /// The concrete function that a call with these arguments runs.
            #[track_caller]
            #vis fn concrete_function<#params>(#(#declared),*) -> ::core::result::Result<
                ::graphfn::__private::ConcreteFunction, ::graphfn::__private::Error
            > #clause {
                ::graphfn::__private::concrete(
                    Self::__enter #fish(::graphfn::__private::Mode::Concrete, #(#passed),*),
                )
            }

            /// Calls the function, with errors as values.
            #[track_caller]
            #vis fn try_call<#params>(#(#declared),*)
                -> ::core::result::Result<#output, ::graphfn::__private::Error> #clause
            {
                ::graphfn::__private::try_value(
                    Self::__enter #fish(::graphfn::__private::Mode::Call, #(#passed),*),
                )
            }

            #questions

            #(#lints)* #[doc(hidden)] #[inline] #[track_caller]
            fn __enter<#params>(#mode: ::graphfn::__private::Mode, #(#declared),*)
                -> ::core::result::Result<
                    ::graphfn::__private::Outcome<#output>, ::graphfn::__private::Error
                > #clause
            {
                #enter
            }
        }
    }
}

/// What a handle answers about its cache.
fn questions(vis: &syn::Visibility) -> TokenStream {
    quote! {
        /// How often the function has been traced.
        #vis fn trace_count() -> usize { Self::graph_fn().trace_count() }

        /// For each trace, what was new in its signature.
        #vis fn explain_retraces() -> ::graphfn::__private::Retraces { Self::graph_fn().explain_retraces() }

        /// Forgets all traces.
        #vis fn clear_cache() { Self::graph_fn().clear_cache() }

        /// Sets how many traces are kept.
        #vis fn set_cache_limit(limit: usize) { Self::graph_fn().set_cache_limit(limit) }
    }
}

fn is_lint(attr: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level))
}

/// An attribute for the outer function. The body is elsewhere, so what was expected there is only
/// allowed here.
fn allowed(attr: &Attribute) -> TokenStream {
    match &attr.meta {
        syn::Meta::List(list) if list.path.is_ident("expect") => {
            let lints = &list.tokens;
            quote!(#[allow(#lints)])
        }
        _ => attr.to_token_stream(),
    }
}
