//! Cases about shapes and indices: H1 and H3 of public bug reports, eagerly and traced.

use graphfn::prelude::*;

#[graph_fn]
fn squares(y: &Tensor, t: &Tensor) -> Tensor {
    (y - t).square().mean()
}

#[test]
fn h1_a_column_minus_a_row_broadcasts() {
    let (y, t) = (Tensor::from([[1.0f32], [2.0], [3.0]]), Tensor::from([1.0f32, 2.0, 3.0]));
    for found in [squares(&y, &t), graphfn::eager(|| squares(&y, &t))] {
        assert!((found.item::<f32>() - 4.0 / 3.0).abs() < 1e-6, "{found}");
    }
}

#[graph_fn]
fn pick(x: &Tensor, indices: &Tensor) -> Tensor {
    x.gather(indices, 0)
}

#[graph_fn]
fn add(x: &Tensor, indices: &Tensor, updates: &Tensor) -> Tensor {
    x.scatter_add(indices, updates, 0)
}

fn check<R: std::fmt::Debug>(call: impl Fn() -> Result<R, Error>, name: &str, index: &str) {
    let error = call().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
    let start = format!("`{name}` needs indices in 0..3 for axis 0, found {index} at [1]");
    assert!(error.message().starts_with(&start), "{error}");
    assert!(error.help().is_some() && error.place().is_some(), "{error:?}");
}

#[test]
fn h3_an_index_out_of_range_is_an_error_in_every_path() {
    let x = Tensor::from([1.0f32, 2.0, 3.0]);
    for (index, text) in [(5, "5"), (3, "3"), (-1, "-1")] {
        let indices = Tensor::from([0, index]);
        check(|| pick::try_call(&x, &indices), "gather", text);
        check(|| attempt(|| graphfn::eager(|| pick(&x, &indices))), "gather", text);
        let updates = Tensor::from([1.0f32, 1.0]);
        check(|| add::try_call(&x, &indices, &updates), "scatter_add", text);
        check(|| attempt(|| x.scatter_add(&indices, &updates, 0)), "scatter_add", text);
    }
    let good = Tensor::from([2, 0]);
    assert_eq!(pick(&x, &good).to_vec::<f32>(), [3.0, 1.0], "the function is usable afterwards");
}

#[test]
fn h3_nothing_is_written() {
    #[graph_fn]
    fn count(v: &Variable, indices: &Tensor) {
        let ones = indices.ones_like().cast(DType::F32);
        v.assign(v.scatter_add(indices, &ones, 0));
    }
    let v = Variable::new("v", [0.0f32; 3]);
    assert!(count::try_call(&v, &Tensor::from([0, 5])).is_err());
    assert_eq!(v.read().to_vec::<f32>(), [0.0; 3]);
    count(&v, &Tensor::from([0, 0]));
    assert_eq!(v.read().to_vec::<f32>(), [2.0, 0.0, 0.0]);
}

#[test]
fn an_index_out_of_range_is_found_though_nobody_uses_what_it_picks() {
    #[graph_fn]
    fn unused(x: &Tensor, indices: &Tensor) -> Tensor {
        let _ = x.gather(indices, 0);
        x + 1.0
    }
    let x = Tensor::from([1.0f32, 2.0, 3.0]);
    check(|| unused::try_call(&x, &Tensor::from([0, 7])), "gather", "7");
}

#[test]
fn transposed_tables_and_indices_are_picked_from_where_they_lie() {
    #[graph_fn]
    fn columns(x: &Tensor, indices: &Tensor) -> Tensor {
        x.t().gather(&indices.t(), 0)
    }
    let (x, indices) = (Tensor::from([[1, 2, 3], [4, 5, 6]]), Tensor::from([[0, 1], [2, 0]]));
    // numpy.take(x.T, indices.T, 0)
    let expected = [1, 4, 3, 6, 2, 5, 1, 4];
    assert_eq!(columns(&x, &indices).to_vec::<i32>(), expected);
    assert_eq!(graphfn::eager(|| columns(&x, &indices)).to_vec::<i32>(), expected);
}
