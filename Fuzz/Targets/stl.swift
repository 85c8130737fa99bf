/// The first byte chooses text or binary; a binary file's count is made right.
let stlTarget = FuzzTarget.mesh(
    seeds: [
        "tsolid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
        "bCOLOR=\u{1}\u{2}\u{3}\u{4}" + String(repeating: " ", count: 73) + "\u{1}\0\0\0" + String(repeating: "\0", count: 50),
    ]) { input in
        var bytes = Array(input.dropFirst())
        if input.first == UInt8(ascii: "t") {
            force(Array("solid".utf8), on: &bytes)
        } else if bytes.count >= 134 {
            bytes.removeLast((bytes.count - 84) % 50)
            for byte in 0..<4 { bytes[80 + byte] = UInt8(truncatingIfNeeded: ((bytes.count - 84) / 50) >> (8 * byte)) }
        }
        return bytes
    }
