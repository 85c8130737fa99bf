import VitrineFiles

let hdrTarget = FuzzTarget.image(.hdr) { force(Array("#?".utf8), on: &$0) }
