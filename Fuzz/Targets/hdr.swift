import VitrineFiles

let target = FuzzTarget.image(.hdr) { force(Array("#?".utf8), on: &$0) }
