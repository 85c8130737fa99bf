let dracoTarget = FuzzTarget(
    seeds: { try PackedModel.seeds(.draco) },
    run: { input in
        var bytes = input
        force(Array("DRACO".utf8), on: &bytes)
        if !bytes.isEmpty { PackedModel.read(PackedModel.draco(bytes)) }
    })
