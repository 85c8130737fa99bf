import VitrineFiles

let heifTarget = FuzzTarget.image(.heif) { bytes in
    force([0, 0, 0, 0x1C] + Array("ftyp".utf8), on: &bytes)
}
