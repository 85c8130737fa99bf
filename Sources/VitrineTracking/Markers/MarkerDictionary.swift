/// A set of square markers: black squares on white, with cells that encode an identifier.
package enum MarkerDictionary: String, Sendable, CaseIterable {
    /// AprilTag 36h11: 587 markers of 6×6 cells with a Hamming distance of at least 11 in any rotation.
    case aprilTag36h11
    /// ArUco 4×4: 50 markers of 4×4 cells with a Hamming distance of at least 4. More false detections.
    case aruco4x4

    /// The number of cells along an edge, without the black border of one cell.
    package var cells: Int { self == .aprilTag36h11 ? 6 : 4 }
    /// The number of markers: identifiers are 0..<count.
    package var count: Int { codes.count }
    /// The number of wrong cells that are corrected: fewer than the Hamming distance allows, to avoid false detections.
    package var correctable: Int { self == .aprilTag36h11 ? 3 : 0 }

    var codes: [UInt64] { self == .aprilTag36h11 ? Self.aprilTag36h11Codes : Self.aruco4x4Codes }

    /// Whether a cell is white. The border's cells, in row or column −1 and `cells`, are black.
    /// - Precondition: `id` is in 0..<count.
    package func isWhite(id: Int, row: Int, column: Int) -> Bool {
        guard (0..<cells).contains(row), (0..<cells).contains(column) else { return false }
        return codes[id] >> UInt64(cells * cells - 1 - (row * cells + column)) & 1 == 1
    }

    /// The code of the marker after a quarter turn counterclockwise.
    func turned(_ code: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for row in 0..<cells {
            for column in 0..<cells {
                // The cell at (row, column) was in row `column`, counted from the right.
                let bit = code >> UInt64(cells * cells - 1 - (column * cells + cells - 1 - row)) & 1
                result = result << 1 | bit
            }
        }
        return result
    }

    /// The marker nearest to a code: its identifier, its rotation in quarter turns counterclockwise, and the number of wrong cells; nil if more
    /// are wrong than can be corrected.
    func match(_ read: UInt64) -> (id: Int, turns: Int, wrong: Int)? {
        var best: (id: Int, turns: Int, wrong: Int)?
        // Further quarter turns bring it upright.
        var upright = read
        for quarter in 0..<4 {
            for (id, code) in codes.enumerated() {
                let wrong = (upright ^ code).nonzeroBitCount
                if wrong <= correctable, wrong < best?.wrong ?? .max { best = (id, (4 - quarter) % 4, wrong) }
            }
            upright = turned(upright)
        }
        return best
    }
}
