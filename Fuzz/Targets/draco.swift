let target = FuzzTarget(seeds: { try PackedModel.seeds(.draco) }) { input in
    var bytes = input
    force(Array("DRACO".utf8), on: &bytes)
    if !bytes.isEmpty { PackedModel.read(PackedModel.draco(bytes)) }
}
