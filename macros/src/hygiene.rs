//! Names: locals that no name of the user can meet, and `self` under the name it has in a trace.
//! Knows nothing of functions or of the runtime.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use syn::visit_mut::{self, VisitMut};

/// A local variable that only the expansion can see, whatever the user's variables are called.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A span at `place` for tokens of the expansion, so that an error points there.
pub(crate) fn at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

/// The name of `self` inside a traced body.
///
/// It takes the context of the `self` it stands for, so it meets a binding exactly when `self` did.
pub(crate) fn traced_self(written: Span) -> Ident {
    Ident::new("__self", written)
}

/// Renames every `self` of the block that means the method's receiver.
///
/// Gives back the string literals that capture `{self}`, which no renaming can reach.
pub(crate) fn rename_self(block: &mut syn::Block) -> Vec<Literal> {
    let mut rename = Rename { captured: vec![] };
    rename.visit_block_mut(block);
    rename.captured
}

struct Rename {
    captured: Vec<Literal>,
}

impl VisitMut for Rename {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if path.is_ident("self") {
            let written = &mut path.segments[0].ident;
            *written = traced_self(written.span());
        }
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.rename_tokens(std::mem::take(&mut mac.tokens));
    }

    // A nested item has a `self` of its own.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Rename {
    /// What stands in a macro call is not parsed: `self` is renamed unless it starts a path.
    fn rename_tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut tokens = tokens.into_iter().peekable();
        let mut renamed = vec![];
        while let Some(token) = tokens.next() {
            let starts_path =
                matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
            renamed.push(match token {
                TokenTree::Ident(ident) if ident == "self" && !starts_path => {
                    TokenTree::Ident(traced_self(ident.span()))
                }
                TokenTree::Group(group) => {
                    TokenTree::Group(with_stream(&group, self.rename_tokens(group.stream())))
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string().replace("{{", "");
                    if text.contains("{self}") || text.contains("{self:") {
                        self.captured.push(literal.clone());
                    }
                    TokenTree::Literal(literal)
                }
                other => other,
            });
        }
        renamed.into_iter().collect()
    }
}

fn with_stream(group: &Group, stream: TokenStream) -> Group {
    let mut copy = Group::new(group.delimiter(), stream);
    copy.set_span(group.span());
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;
    use syn::parse_quote;

    fn renamed(mut block: syn::Block) -> String {
        rename_self(&mut block);
        block.to_token_stream().to_string()
    }

    #[test]
    fn self_is_renamed_in_expressions_and_in_macro_calls() {
        let block = renamed(parse_quote!({
            self.w.f(&self);
            dbg!(self.w, [self])
        }));
        let wanted: syn::Block = parse_quote!({
            __self.w.f(&__self);
            dbg!(__self.w, [__self])
        });
        assert_eq!(block, wanted.to_token_stream().to_string());
    }

    #[test]
    fn paths_and_nested_items_keep_their_self() {
        let block: syn::Block = parse_quote!({
            self::helper();
            assert!(self::helper());
            impl Other {
                fn f(&self) {
                    self.g()
                }
            }
        });
        assert_eq!(renamed(block.clone()), block.to_token_stream().to_string());
    }

    #[test]
    fn a_captured_self_in_a_format_string_is_found() {
        let mut block = parse_quote!({
            println!("{self:?} {x}");
            println!("{}", self)
        });
        assert_eq!(rename_self(&mut block).len(), 1);
    }
}
