/// A set of square markers: black, with a white edge around, and cells inside that tell which it is.
public enum MarkerDictionary: String, Sendable, CaseIterable {
    /// AprilTag's 36h11: 587 markers of 6×6 cells; any two differ in 11 cells or more, however they are turned.
    case aprilTag36h11
    /// ArUco's 4×4: 50 markers of 4×4 cells that differ in 4 or more. Mistaken for other things more easily.
    case aruco4x4

    /// Cells along an edge, without the black border, which is one cell wide.
    public var cells: Int { self == .aprilTag36h11 ? 6 : 4 }
    /// How many markers there are: ids are 0..<count.
    public var count: Int { codes.count }
    /// How many wrongly read cells are put right at most: fewer than the distance allows, so that other things aren't taken for markers.
    public var correctable: Int { self == .aprilTag36h11 ? 3 : 0 }

    var codes: [UInt64] { self == .aprilTag36h11 ? Self.aprilTag36h11Codes : Self.aruco4x4Codes }

    /// Whether a cell of a marker is white; the border's cells, row or column −1 and `cells`, are black.
    /// - Precondition: `id` is in 0..<count.
    public func isWhite(id: Int, row: Int, column: Int) -> Bool {
        guard (0..<cells).contains(row), (0..<cells).contains(column) else { return false }
        return codes[id] >> UInt64(cells * cells - 1 - (row * cells + column)) & 1 == 1
    }

    /// The code as it reads after the marker is turned by a quarter, counterclockwise as seen.
    func turned(_ code: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for row in 0..<cells {
            for column in 0..<cells {
                // What stands at (row, column) now stood in the row `column`, from the right.
                let bit = code >> UInt64(cells * cells - 1 - (column * cells + cells - 1 - row)) & 1
                result = result << 1 | bit
            }
        }
        return result
    }

    /// The marker nearest to what was read: its id, how many quarters counterclockwise it was turned to read so, and how many cells differ;
    /// nil where more do than can be put right.
    func match(_ read: UInt64) -> (id: Int, turns: Int, wrong: Int)? {
        var best: (id: Int, turns: Int, wrong: Int)?
        // Turning what was read on by the rest of a full turn puts it upright.
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
