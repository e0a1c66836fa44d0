//! Methods of tensors on variables: the variable is read, and the method called on its value. Knows no method.

/// Gives `Variable` methods of `Tensor`, with the same arguments.
macro_rules! on_variables {
    ($($method:ident($($arg:ident: $type:ty),*) -> $output:ty),* $(,)?) => {
        impl $crate::value::Variable {$(
            #[doc = concat!("As [`Tensor::", stringify!($method), "`], of its value.")]
            #[track_caller]
            pub fn $method(&self $(, $arg: $type)*) -> $output {
                self.read().$method($($arg),*)
            }
        )*}
    };
}
pub(super) use on_variables;
