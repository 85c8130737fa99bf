import VitrineMath

/// The corners that the 3×3×3 corners of an octet's cells share with the octets around it.
///
/// An octet is the eight cells of one refined parent; cell x + 2 y + 4 z. Corner slots are x + 3 y + 9 z with x, y, z in 0…2. Octets around
/// it have the numbers (x + 1) + 3 (y + 1) + 9 (z + 1) with offsets −1…1: 13 is the octet itself.
struct OctetTables: Sendable {
    static let own = 13
    /// The start of each slot's entries; those of slot s are `start[s]..<start[s + 1]`.
    let start: Buffer<Int32>
    /// The neighbouring octet and its slot of the same corner.
    let octet, slot: Buffer<Int32>
    /// The slots of the eight corners of each of the eight cells: `cellSlots[8 * cell + corner]`.
    let cellSlots: Buffer<Int32>
    /// The weights of the parent's eight corners in a slot's interpolated value.
    let parentWeights: Buffer<SIMD8<Float>>

    init() {
        start = Buffer(count: 28, repeating: 0)
        octet = Buffer(count: 125, repeating: 0)
        slot = Buffer(count: 125, repeating: 0)
        cellSlots = Buffer(count: 64, repeating: 0)
        parentWeights = Buffer(count: 27, repeating: .zero)
        // Along one axis: slot 0 is also slot 2 of the previous octet, slot 2 is also slot 0 of the next octet.
        let shared = [[(-1, 2), (0, 0)], [(0, 1)], [(0, 2), (1, 0)]]
        var entry = 0
        for index in 0..<27 {
            start[index] = Int32(entry)
            for z in shared[index / 9] {
                for y in shared[index / 3 % 3] {
                    for x in shared[index % 3] {
                        octet[entry] = Int32(x.0 + 1 + 3 * (y.0 + 1) + 9 * (z.0 + 1))
                        slot[entry] = Int32(x.1 + 3 * y.1 + 9 * z.1)
                        entry += 1
                    }
                }
            }
        }
        start[27] = Int32(entry)
        for index in 0..<27 {
            parentWeights[index] = Trilinear.values(Vector3(Float(index % 3), Float(index / 3 % 3), Float(index / 9)) / 2)
        }
        for cell in 0..<8 {
            for corner in 0..<8 {
                let x = (cell & 1) + (corner & 1)
                let y = (cell >> 1 & 1) + (corner >> 1 & 1)
                let z = (cell >> 2) + (corner >> 2)
                cellSlots[8 * cell + corner] = Int32(x + 3 * y + 9 * z)
            }
        }
    }
}
