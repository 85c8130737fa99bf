import VitrineFiles

/// A material library of a square that uses its first material; every image beside it is a valid one.
let mtlTarget = FuzzTarget(
    seeds: {
        [
            "newmtl m\nKa 0 0 0\nKd 1 .5 0\nKs 0.2 0.2 0.2\nKe 1\nd 0.5\nTr 0.2\nNs 10\nNi 1.4\nPr 0.5\nPm 1\nPs 0.2\nPc .3\nPcr .1\naniso .1\nanisor .2\n"
                + "map_Kd -clamp on a.png\nnorm -s 1 1 1 b.png\nmap_Pr -o 1 .5 c.png\nmap_d -s 2 2 2 d.png\nillum 0\n",
            "# a\r\nnewmtl m\r\nmap_Ke e.png\r\nbump -bm 0.3 -imfchan g f.png\r\nmap_Ks g.png\r\nKd xyz 0.1 0.2 0.3\r\nKd spectral a.rfl\r\nnewmtl n\r\nKd nan inf 1e39\r\n",
            "newmtl m\nmap_Kd \\\n -mm 0 1 -t 0 0 0 -texres 4 -blendu off C:\\a b\\c.png\nTf 0.5 0.5 0.5\nsharpness 60\nrefl -type sphere d.png\n",
        ].map { Array($0.utf8) }
    },
    run: { input in
        let square = "mtllib a\nusemtl m\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\nusemtl n\nf 1/1 3/3 2/2\n"
        let files = { (path: String) throws(FileError) -> [UInt8] in path == "a" ? input : tinyPixels }
        guard let loaded = try? SceneFile.read(Array(square.utf8), name: "fuzz.obj", files: files) else { return }
        precondition(loaded.warnings.count < 5000)
        use(loaded.scene)
    })

/// A PPM of one pixel is not read; a TGA of one pixel is.
private let tinyPixels: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0x20, 10, 20, 30]
