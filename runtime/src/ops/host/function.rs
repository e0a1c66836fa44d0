//! Host functions as users make and call them. Knows the types of the closure, and nothing of when it runs.

use super::body::{HostBody, HostInputs};
use super::call::{Derivative, HostCall};
use super::identity::{Type, number};
use super::result::HostResult;
use crate::graph::{Backward, Tensor, apply_all};
use crate::types::Spec;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A closure of plain Rust as a part of the graph: it gets ndarray views of its inputs, and gives an array or a number,
/// or several, or a `Result` with them.
///
/// In a traced function it is a node, and runs at each call; eagerly it runs at once. An array that it gives has the sizes
/// of the first input, unless [`gives`](HostFn::gives) says otherwise. An error or panic of the closure is an [`Error`] of
/// the call, with the line that called the host function.
///
/// ```
/// use graphfn::prelude::*;
/// use ndarray::ArrayViewD;
///
/// #[graph_fn]
/// fn loss(y: &Tensor, t: &Tensor) -> Tensor {
///     let square_loss = host_fn("square_loss", |y: ArrayViewD<f32>, t: ArrayViewD<f32>| {
///         (&y - &t).mapv(|it| it * it)
///     });
///     square_loss.call([y, t]).mean()
/// }
/// let (y, t) = (Tensor::from([1.0f32, 2.0]), Tensor::from([1.0f32, 4.0]));
/// assert_eq!(loss(&y, &t).item::<f32>(), 2.0);
/// ```
///
/// The closure runs as often as the program calls it, in order; [`pure`](HostFn::pure) frees it from that. It may read
/// variables: in a traced call it sees what they held when the call began, and it may not assign those that the call uses.
///
/// [`Error`]: crate::Error
pub fn host_fn<B: HostBody<Written>, Written>(
    name: &str,
    body: B,
) -> HostFn<B::Inputs, <B::Output as HostResult>::Tensors> {
    let types = vec![Type::of::<B>()];
    let call = HostCall {
        name: name.into(),
        id: number(name, &types),
        is_pure: false,
        takes: B::takes().map(Arc::from),
        forms: B::Output::forms().map(Arc::from),
        gives: None,
        body: Arc::new(move |inputs| Ok(body.run(inputs)?.values())),
        gradient: Derivative::Unsaid(Arc::default()),
    };
    HostFn { call, types, collect: B::Output::tensors, of: PhantomData }
}

/// A function of the host, made by [`host_fn`]: a closure that takes `Inputs` and gives `Outputs`.
pub struct HostFn<Inputs, Outputs> {
    call: HostCall,
    /// The types of its closures.
    types: Vec<Type>,
    collect: fn(crate::graph::Tensors) -> Outputs,
    of: PhantomData<fn(Inputs)>,
}

impl<Inputs: HostInputs, Outputs> HostFn<Inputs, Outputs> {
    /// Says what the outputs are, given what the inputs are; needed where they are not like the first input.
    ///
    /// ```
    /// use graphfn::{DType, Spec, prelude::*};
    /// use ndarray::{ArrayView2, Axis};
    ///
    /// let medians = host_fn("row_medians", |x: ArrayView2<f32>| {
    ///     x.map_axis(Axis(1), |row| {
    ///         let mut row = row.to_vec();
    ///         row.sort_by(f32::total_cmp);
    ///         row[row.len() / 2]
    ///     })
    /// });
    /// let medians = medians.gives(|inputs| vec![Spec::new(DType::F32, [inputs[0].sizes()[0]])]);
    /// let x = Tensor::from([[1.0f32, 7.0, 2.0], [4.0, 5.0, 9.0]]);
    /// assert_eq!(medians.call([&x]).to_vec::<f32>(), [2.0, 5.0]);
    /// ```
    #[must_use]
    pub fn gives<F: Fn(&[Spec]) -> Vec<Spec> + Send + Sync + 'static>(mut self, specs: F) -> Self {
        self.call.gives = Some(Arc::new(specs));
        self.with_type::<F>()
    }

    /// Says how gradients pass: the rule gives the gradient of each input, as an op's [`grad`](crate::Op::grad) does, by
    /// ops on tensors, and is differentiated again for second derivatives.
    ///
    /// ```
    /// use graphfn::prelude::*;
    /// use ndarray::ArrayViewD;
    ///
    /// let cube = host_fn("cube", |x: ArrayViewD<f32>| x.mapv(|it| it * it * it))
    ///     .with_gradient(|call| vec![call.grads[0].as_ref().map(|g| g * 3.0 * call.inputs[0].square())]);
    /// let slope = grad(|x: &Tensor| cube.call([x]));
    /// assert_eq!(slope(&Tensor::from(2.0f32)).item::<f32>(), 12.0);
    /// ```
    #[must_use]
    pub fn with_gradient<F>(mut self, rule: F) -> Self
    where
        F: Fn(&Backward<'_>) -> Vec<Option<Tensor>> + Send + Sync + 'static,
    {
        self.call.gradient = Derivative::Rule(Arc::new(rule));
        self.with_type::<F>()
    }

    /// Says that no gradient passes, and that this is meant: without this or a rule none passes either, and a warning
    /// says so when one is asked for.
    #[must_use]
    pub fn no_gradient(mut self) -> Self {
        struct Without;
        self.call.gradient = Derivative::None;
        self.with_type::<Without>()
    }

    /// Says that the closure gives the same for the same inputs and does nothing else: equal calls may be one, and a call
    /// on constants is made once.
    #[must_use]
    pub fn pure(mut self) -> Self {
        struct Pure;
        self.call.is_pure = true;
        self.with_type::<Pure>()
    }

    /// Calls it: at once, or as a node of the trace, which has its name.
    ///
    /// # Panics
    /// Raises an error if the inputs are not what the closure takes; at once also what the closure raises.
    #[track_caller]
    pub fn call(&self, inputs: Inputs::Given<'_>) -> Outputs {
        (self.collect)(apply_all(self.call.clone(), Inputs::list(&inputs), &self.call.name))
    }

    fn with_type<F: 'static>(mut self) -> Self {
        self.types.push(Type::of::<F>());
        self.call.id = number(&self.call.name, &self.types);
        self
    }
}

impl<Inputs, Outputs> fmt::Debug for HostFn<Inputs, Outputs> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostFn({:?})", self.call.name)
    }
}
