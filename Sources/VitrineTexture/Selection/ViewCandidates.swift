import VitrineMath
import VitrineVision

/// What one photo shows of one triangle.
struct ViewSample: Sendable {
    /// The triangle's seen area in the photo, in pixels, less where trust is missing. 0: not seen.
    var quality: Float = 0
    /// sRGB-encoded mean colour; w: how much the brightness varies within three pixels.
    var color: SIMD4<UInt8> = .zero
}

/// The photos that show each triangle best, and what they show. Memory doesn't grow with the number of photos.
struct ViewCandidates: Sendable {
    /// So many photos are kept a triangle.
    static let capacity = 12

    struct Candidate: Sendable {
        var quality: Float
        var color: SIMD4<UInt8>
        var view: UInt16
        /// Whether the others agree with its colour.
        var agrees = true
    }

    /// `capacity` places a triangle.
    var entries: [Candidate]
    /// How many of a triangle's places are taken.
    var counts: [UInt8]

    init(triangleCount: Int) {
        entries = Array(repeating: Candidate(quality: 0, color: .zero, view: 0), count: triangleCount * Self.capacity)
        counts = Array(repeating: 0, count: triangleCount)
    }

    func range(_ triangle: Int) -> Range<Int> {
        triangle * Self.capacity..<triangle * Self.capacity + Int(counts[triangle])
    }

    /// Views are to be added in rising order; of equally good ones the earlier stay.
    mutating func add(_ samples: [ViewSample], view: Int) {
        for (triangle, sample) in samples.enumerated() where sample.quality > 0 {
            let candidate = Candidate(quality: sample.quality, color: sample.color, view: UInt16(view))
            let base = triangle * Self.capacity
            if Int(counts[triangle]) < Self.capacity {
                entries[base + Int(counts[triangle])] = candidate
                counts[triangle] += 1
                continue
            }
            var worst = base
            for slot in base + 1..<base + Self.capacity where entries[slot].quality <= entries[worst].quality { worst = slot }
            guard entries[worst].quality < sample.quality else { continue }
            // The order by view is kept.
            for slot in worst..<base + Self.capacity - 1 { entries[slot] = entries[slot + 1] }
            entries[base + Self.capacity - 1] = candidate
        }
    }
}
