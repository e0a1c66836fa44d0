//! Graphs in TensorFlow's format, with TensorFlow's names: goldens G-3 and G-4.

use graphfn::graphdef::GraphDef;
use graphfn::prelude::*;
use graphfn::{GetVariable, variable_scope};

fn lines(exported: &GraphDef) -> Vec<String> {
    exported.node.iter().map(|node| format!("{} {}", node.name, node.op)).collect()
}

/// Golden G-3: what TensorFlow 2.21 prints of this graph, but that it has the sizes of the seed before its number, and
/// `Mul` for the last: ours keeps a gradient of zero zero, which is `MulNoNan` there.
#[test]
fn s26_g3_the_gradient_of_a_square() {
    let graph = Graph::new();
    let x = graph.get_variable("x", [], init::Constant(3.0));
    let [slope] = gradients(x.square(), [&x]);
    assert!(slope.is_some());
    assert_eq!(
        lines(&graph.to_graphdef().unwrap()),
        [
            "x/Initializer/Const Const",
            "x VarHandleOp",
            "x/IsInitialized/VarIsInitializedOp VarIsInitializedOp",
            "x/Assign AssignVariableOp",
            "x/Read/ReadVariableOp ReadVariableOp",
            "Square/ReadVariableOp ReadVariableOp",
            "Square Square",
            "gradients/grad_ys_0/Const Const",
            "gradients/Shape Const",
            "gradients/grad_ys_0 Fill",
            "gradients/Square_grad/Const Const",
            "gradients/Square_grad/Mul Mul",
            "gradients/Square_grad/Mul_1 MulNoNan",
        ]
    );
}

fn dense(x: &Tensor, units: usize) -> Tensor {
    let inputs = x.shape()[1].known().unwrap();
    let weight = GetVariable::new("weight", [inputs, units]).build();
    let bias = GetVariable::new("bias", [units]).build();
    (x.matmul(&weight) + &bias).relu()
}

/// Golden G-4: op names of a scope that is reused, and what stands around each variable.
#[test]
fn g4_a_reused_scope() {
    let graph = Graph::new();
    {
        let _graph = graph.as_default();
        let inputs = graph.placeholder::<f32>([10, 32]);
        let x = variable_scope("dense1").enter(|| dense(&inputs, 10));
        let x = variable_scope("dense2").enter(|| dense(&x, 10));
        variable_scope("dense2").reuse(true).enter(|| dense(&x, 10));
    }
    let _ = graph.global_variables_initializer();
    let exported = graph.to_graphdef().unwrap();
    let names: Vec<&str> = exported.node.iter().map(|node| &*node.name).collect();
    let variables = ["dense1/weight", "dense1/bias", "dense2/weight", "dense2/bias"];
    let is_of = |name: &&str| variables.iter().any(|it| name.starts_with(it));
    let ops: Vec<&str> = names.iter().copied().filter(|name| !is_of(name)).collect();
    let layer = |scope: &str| {
        ["MatMul/ReadVariableOp", "MatMul", "add/ReadVariableOp", "add", "Relu"]
            .map(|op| format!("{scope}/{op}"))
    };
    let mut wanted = vec!["Placeholder".to_string()];
    wanted.extend(["dense1", "dense2", "dense2_1"].into_iter().flat_map(layer));
    wanted.push("init".to_string());
    assert_eq!(ops, wanted);
    for variable in variables {
        let drawn = ["shape", "min", "max", "RandomUniform", "sub", "mul"];
        let drawn = drawn.map(|it| format!("{variable}/Initializer/random_uniform/{it}"));
        let around = ["/IsInitialized/VarIsInitializedOp", "/Assign", "/Read/ReadVariableOp", ""];
        for name in drawn.into_iter().chain(around.map(|it| format!("{variable}{it}"))) {
            assert_eq!(names.iter().filter(|it| ***it == name).count(), 1, "{name}");
        }
    }
    assert_eq!(exported.init.as_deref(), Some("init"));
    let init = exported.node.iter().find(|node| node.name == "init").unwrap();
    let assigned: Vec<String> = variables.iter().map(|it| format!("^{it}/Assign")).collect();
    assert_eq!((&*init.op, &init.input), ("NoOp", &assigned));
}
