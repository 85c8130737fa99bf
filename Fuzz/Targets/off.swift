let offTarget = FuzzTarget.mesh(
    seeds: [
        "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0\n",
        "STCNOFF # all\n3 1 0\n0 0 0 0 0 1 255 0 0 255 0 0\n1 0 0 0 0 1 0 1 0 1 1 0\n0 1 0 0 0 1 0 0 1 1 0 1\n3 0 1 2\n",
        "4OFF\n1 0 0\n1 2 3 4\n",
    ]) { input in
        var bytes = input
        if bytes.first == UInt8(ascii: "O") { force(Array("OFF".utf8), on: &bytes) }
        return bytes
    }
