//! Cases about errors of products: K3 and N5 of public bug reports.

use graphfn::prelude::*;

#[graph_fn]
fn model(x: &Tensor, w: &Tensor) -> Tensor {
    name_scope("dense1").enter(|| x.matmul(w))
}

fn ones(rows: usize, columns: usize) -> Tensor {
    Tensor::ones::<f32>([rows, columns])
}

#[test]
fn k3_a_mismatch_is_an_error_and_the_function_is_usable_afterwards() {
    let good = model::try_call(&ones(2, 3), &ones(3, 5)).unwrap();
    assert_eq!(good.to_vec::<f32>(), [3.0; 10]);
    let error = model::try_call(&ones(2, 3), &ones(4, 5)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    let panic = std::panic::catch_unwind(|| model(&ones(2, 3), &ones(4, 5))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with(error.message()), "the panic says the same: {text}");
    assert_eq!(model(&ones(1, 2), &ones(2, 1)).to_vec::<f32>(), [2.0]);
    assert_eq!(model::trace_count(), 2, "failed traces are not kept");
    let eager = attempt(|| ones(2, 3).matmul(ones(4, 5))).unwrap_err();
    assert_eq!(eager.message(), error.message());
}

#[test]
fn n5_a_message_names_op_shapes_function_node_and_line() {
    let error = model::try_call(&ones(2, 3), &ones(4, 5)).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.message(), "`matmul` needs inner sizes to agree, found [2, 3] and [4, 5]");
    for part in ["in `model`", "node `dense1/MatMul`", "tests/cases/matmul.rs:7:", "help: "] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}
