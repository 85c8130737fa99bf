import VitrineMath

/// A photo's features with precomputed data for matching.
struct PreparedFeatures: Sendable {
    let features: FeatureSet
    /// The squared length of each descriptor.
    let squares: [Int32]
    /// Indices for searches along lines that are closer to horizontal, and to vertical.
    let level, steep: StripIndex

    var count: Int { features.count }

    init(_ features: FeatureSet, width: Int, height: Int) {
        self.features = features
        squares = DescriptorMatcher.squares(features.descriptors)
        let side = Float(max(1, width, height))
        level = StripIndex(features.positions, side: side, isSteep: false)
        steep = StripIndex(features.positions, side: side, isSteep: true)
    }

    /// The arrays as pointers for inner loops.
    struct Pointers {
        let positions: UnsafePointer<SIMD2<Float>>
        let orientations: UnsafePointer<Float>
        let descriptors: UnsafePointer<UInt8>
        let squares: UnsafePointer<Int32>
    }

    /// Calls `body` with pointers to the features, unless there are none.
    @inline(__always) func withPointers(_ body: (Pointers) -> Void) {
        features.positions.withUnsafeBufferPointer { positions in
            features.orientations.withUnsafeBufferPointer { orientations in
                features.descriptors.withUnsafeBufferPointer { descriptors in
                    squares.withUnsafeBufferPointer { squares in
                        guard let p = positions.baseAddress, let o = orientations.baseAddress,
                            let d = descriptors.baseAddress,
                            let s = squares.baseAddress
                        else { return }
                        body(Pointers(positions: p, orientations: o, descriptors: d, squares: s))
                    }
                }
            }
        }
    }
}

/// A spatial index of features for searches near a line: by strip across the image, and within a strip by position along it.
struct StripIndex: Sendable {
    /// Whether strips are rows of the image; columns otherwise.
    let isSteep: Bool
    static let strips = 64
    static let slots = 256
    /// Strips and slots per pixel.
    private let stripScale, slotScale: Float
    /// The first index in `order` for strip * slots + slot, and one past the end.
    private let starts: [Int32]
    /// Feature numbers by strip, then by slot.
    let order: [Int32]

    init(_ positions: [SIMD2<Float>], side: Float, isSteep: Bool) {
        self.isSteep = isSteep
        (stripScale, slotScale) = (Float(Self.strips) / side, Float(Self.slots) / side)
        var cells = [Int](repeating: 0, count: positions.count)
        var starts = [Int32](repeating: 0, count: Self.strips * Self.slots + 1)
        for (i, position) in positions.enumerated() {
            let (across, along) = isSteep ? (position.y, position.x) : (position.x, position.y)
            cells[i] =
                Self.clamped(across * stripScale, Self.strips) * Self.slots
                + Self.clamped(along * slotScale, Self.slots)
            starts[cells[i] + 1] += 1
        }
        for cell in 1..<starts.count { starts[cell] += starts[cell - 1] }
        var next = starts
        var order = [Int32](repeating: 0, count: positions.count)
        for i in positions.indices {
            order[Int(next[cells[i]])] = Int32(i)
            next[cells[i]] += 1
        }
        (self.starts, self.order) = (starts, order)
    }

    @inline(__always) private static func clamped(_ coordinate: Float, _ count: Int) -> Int {
        coordinate > 0 ? (coordinate < Float(count) ? Int(coordinate) : count - 1) : 0
    }

    /// Calls `body` with ranges of `order` that contain all features within `distance` pixels of the line a x + b y + c = 0, and others.
    @inline(__always) func forEachRange(
        near line: SIMD3<Float>, distance: Float, _ body: (Range<Int>) -> Void
    ) {
        let (across, along) = isSteep ? (line.y, line.x) : (line.x, line.y)
        guard along != 0 else { return }
        // along = slope * across + start
        let slope = -across / along
        let start = -line.z / along
        let reach = distance * (1 + slope * slope).squareRoot()
        let width = 1 / stripScale
        starts.withUnsafeBufferPointer { starts in
            for strip in 0..<Self.strips {
                let left = slope * (Float(strip) * width) + start
                let right = slope * (Float(strip + 1) * width) + start
                let low = (min(left, right) - reach) * slotScale
                let high = (max(left, right) + reach) * slotScale
                guard high >= 0, low < Float(Self.slots) else { continue }
                let first = Int(starts[strip &* Self.slots &+ Self.clamped(low, Self.slots)])
                let end = Int(starts[strip &* Self.slots &+ Self.clamped(high, Self.slots) &+ 1])
                if first < end { body(first..<end) }
            }
        }
    }
}
