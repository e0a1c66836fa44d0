//! What most ops answer about themselves: they compute their outputs, and that is all. Knows no op.

/// The answers `kind` and `effects` of an op that only computes its outputs, whatever its data; and `grad`, where it looks
/// at nothing: `None` or `Expand`.
macro_rules! pure {
    ($kind:ident, $gradient:ident) => {
        pure!($kind);

        fn grad(&self, _: &$crate::graph::Backward<'_>) -> $crate::graph::Gradient {
            $crate::graph::Gradient::$gradient
        }
    };
    ($kind:ident) => {
        fn kind(&self) -> $crate::graph::Kind {
            $crate::graph::Kind::$kind
        }

        fn effects(&self, _: &[$crate::types::Spec]) -> $crate::graph::Effects {
            $crate::graph::Effects::NONE
        }
    };
}
pub(super) use pure;
