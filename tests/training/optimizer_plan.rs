//! How the plan of a training step looks: updates are fused, and written in place.

use graphfn::prelude::*;

#[graph_fn]
fn train(w: &Variable, optimizer: &Adam, x: &Tensor) -> Tensor {
    optimizer.minimize(x.matmul(w).square().mean())
}

#[test]
fn the_update_of_adam_is_one_step_in_place() {
    let (w, optimizer) = (Variable::new("w", Tensor::full([32, 64], 0.5f32)), Adam::new(0.1));
    let x = Tensor::ones::<f32>([16, 32]);
    let plan = train::concrete_function(&w, &optimizer, &x).unwrap().explain().unwrap();
    let update: Vec<&str> = plan.lines().filter(|line| line.contains("f32[32, 64], ")).collect();
    let [update] = update[..] else {
        panic!("one step has several results of this shape:\n{plan}")
    };
    assert!(update.contains("-> f32[32, 64], f32[32, 64], f32[32, 64]: Adam/"), "{plan}");
    assert!(plan.contains("variables: 4 used, 4 written, 4 in place"), "{plan}");
}
