//! Generates the gNMI types from `proto/` into OUT_DIR; `protox` compiles them, so no protoc is needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=build.rs");
    let descriptors = protox::compile(["gnmi.proto", "gnmi_ext.proto"], ["proto"])?;
    tonic_prost_build::configure()
        .btree_map(".gnmi") // keys of a path element print and compare in one order
        .compile_fds(descriptors)?;
    Ok(())
}
