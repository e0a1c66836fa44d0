use graphfn::prelude::*;

fn main() {
    let x = Tensor::from([[1.0f32]]);
    einsum!("", &x);
    einsum!("ij->ik", &x);
    einsum!("ij->ii", &x);
    einsum!("ij,jk->ik", &x);
    einsum!("i1->i", &x);
    einsum!("...j->j", &x);
    einsum!("j->...j", &x);
    einsum!(&x);
}
