import VitrineMath
import VitrineVision

/// The observation of a triangle by a photo.
struct ViewSample: Sendable {
    /// The triangle's visible area in the photo, in pixels, reduced where trust is low. 0: not visible.
    var quality: Float = 0
    /// The sRGB-encoded mean colour; w: the variation of the brightness within three pixels.
    var color: SIMD4<UInt8> = .zero
}

/// The best photos of each triangle, with its colours in them. The memory does not depend on the number of photos.
package struct ViewCandidates: Equatable, Sendable {
    /// The number of photos that are kept per triangle.
    package static let capacity = 12

    package struct Candidate: Equatable, Sendable {
        package var quality: Float
        package var color: SIMD4<UInt8>
        package var view: UInt16
        /// Whether the others agree with its colour.
        package var agrees = true

        package init(quality: Float, color: SIMD4<UInt8>, view: UInt16, agrees: Bool = true) {
            (self.quality, self.color, self.view, self.agrees) = (quality, color, view, agrees)
        }
    }

    /// `capacity` entries per triangle.
    package var entries: [Candidate]
    /// The number of entries of each triangle.
    package var counts: [UInt8]

    package init(triangleCount: Int) {
        entries = Array(repeating: Candidate(quality: 0, color: .zero, view: 0), count: triangleCount * Self.capacity)
        counts = Array(repeating: 0, count: triangleCount)
    }

    package func range(_ triangle: Int) -> Range<Int> {
        triangle * Self.capacity..<triangle * Self.capacity + Int(counts[triangle])
    }

    /// Views must be added in ascending order; of equally good views the earlier ones stay.
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

extension ViewCandidates {
    /// Multiplies all colours by their photo's gain.
    mutating func apply(gains: [Vector3]) {
        let tables = gains.map { gain in (0..<3).map { TransferFunction.encodedFromByte(gain: gain[$0]) } }
        for triangle in counts.indices {
            for slot in range(triangle) {
                let table = tables[Int(entries[slot].view)]
                for k in 0..<3 { entries[slot].color[k] = UInt8(min(255, table[k][Int(entries[slot].color[k])].rounded())) }
            }
        }
    }

    /// Marks the photos whose colour of a triangle differs from the others: an occluder, a reflected light or
    /// a wrong edge. Photo-consistency as in Waechter, Moehrle and Goesele (2014), with the median in place of the mean.
    mutating func markOutliers() {
        var values = [[Float]](repeating: [], count: 3)
        for triangle in counts.indices where counts[triangle] >= 3 {
            let range = range(triangle)
            var (center, spread) = (Vector3.zero, Vector3.zero)
            for k in 0..<3 {
                values[k] = range.map { Float(entries[$0].color[k]) }
                center[k] = Self.weightedMedian(values[k], range.map { entries[$0].quality })
                let deviations = values[k].map { abs($0 - center[k]) }.sorted()
                // The standard deviation is 1.48 times the median absolute deviation; noise and shading alone are up to ten levels of 255.
                spread[k] = max(10, 1.48 * deviations[deviations.count / 2])
            }
            for slot in range {
                let c = entries[slot].color
                let distance = (Vector3(Float(c.x), Float(c.y), Float(c.z)) - center) / spread
                entries[slot].agrees = distance.magnitude.max() <= 3
            }
        }
    }

    private static func weightedMedian(_ values: [Float], _ weights: [Float]) -> Float {
        let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
        let half = weights.reduce(0, +) / 2
        var sum: Float = 0
        for index in order {
            sum += weights[index]
            if sum >= half { return values[index] }
        }
        return values[order[order.count - 1]]
    }

    /// The variation of the brightness of each view within three pixels, relative to the other photos of the same triangles (1: the same).
    func sharpness(viewCount: Int) -> [Float] {
        var (sums, weights) = ([Float](repeating: 0, count: viewCount), [Float](repeating: 0, count: viewCount))
        for triangle in counts.indices where counts[triangle] >= 2 {
            let range = range(triangle)
            let mean = range.reduce(Float(0)) { $0 + Float(entries[$1].color.w) + 0.5 } / Float(range.count)
            // Without detail, blur cannot be measured.
            guard mean > 6 else { continue }
            for slot in range {
                let ratio = (Float(entries[slot].color.w) + 0.5) / mean
                sums[Int(entries[slot].view)] += log(ratio) * mean
                weights[Int(entries[slot].view)] += mean
            }
        }
        return zip(sums, weights).map { sum, weight in weight > 0 ? min(2, max(0.1, exp(sum / weight))) : 1 }
    }
}
