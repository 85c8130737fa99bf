import VitrineMath
import VitrineScene

/// The first byte selects the fill rule and the bevel; the others are SVG path data, of which small paths are filled and extruded.
let pathTarget = FuzzTarget(
    seeds: {
        [
            "aM50 90 C-40 30 20 -20 50 20 C80 -20 140 30 50 90 Z", "bM0 0H10V10H0Zm2 2v6h6v-6z", "cM5 0a5 5 0 1110 0a5 5 0 11-10 0",
            "dM0 0q5 5 10 0t10 0s5-5 5 0L0 1e1z", "eM0 0 10 10 10 0 0 10zM5 0l5 9-9-5h9l-9 5z",
        ].map { Array($0.utf8) }
    },
    run: { extrude($0) })

private func extrude(_ bytes: [UInt8]) {
    guard let first = bytes.first, let path = try? Path(svg: String(decoding: bytes.dropFirst(), as: UTF8.self)) else { return }
    guard path.elements.count < 300, let box = path.controlBounds else { return }
    let size = (box.maximum - box.minimum).max()
    let bevel = Bevel(radius: size * Float(first >> 4) / 64, segments: first & 2 == 0 ? 1 : 2)
    guard let solid = try? Geometry.extruded(path, depth: size, bevel: bevel, fillRule: first & 1 == 0 ? .nonZero : .evenOdd) else {
        return
    }
    for attribute in solid.attributes { precondition(attribute.values.allSatisfy { $0.isFinite }) }
}
