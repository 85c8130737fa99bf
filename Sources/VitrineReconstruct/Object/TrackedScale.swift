import VitrineFiles
import VitrineMath
import VitrineVision

/// The camera of a photo and the object's box as a capture session tracked them.
struct TrackedShot: Equatable, Sendable {
    /// The camera's centre in the world of the tracker.
    var center: Vector3d
    /// The session and the pose of the object: only shots of one pass share a world in which the object rests.
    var pass: String
    /// Whether the world's unit is a metre.
    var isMetric = true
    /// The box in the world of the tracker; nil if an area was captured.
    var box: OrientedBox?
}

extension TrackedShot: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(center)
        writer.write(pass)
        writer.write(isMetric)
        writer.encode(box)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> TrackedShot {
        TrackedShot(center: try reader.vector3(), pass: try reader.text(), isMetric: try reader.bool(), box: try reader.decode())
    }
}

/// A registered photo of a capture: its camera's centre in the reconstruction, and the shot.
typealias TrackedPhoto = (reconstructed: Vector3d, tracked: TrackedShot)

extension [TrackedPhoto] {
    /// The photos of the pass with the most; nil for fewer than four in each.
    fileprivate var largestPass: [TrackedPhoto]? {
        let passes = Dictionary(grouping: indices) { self[$0].tracked.pass }
        // The first of passes of the same size: dictionaries have no order.
        guard let pass = passes.values.max(by: { ($0.count, -$0[0]) < ($1.count, -$1[0]) }), pass.count >= 4 else { return nil }
        return pass.map { self[$0] }
    }
}

extension [TrackedPhoto] {
    /// The largest deviation of a camera from its tracked pose, as a share of the typical distance of the cameras from their centre.
    private static let largestDeviation = 0.15

    /// The photos of the largest pass whose cameras and tracked poses contradict each other, as indices, with their deviations as shares of the
    /// typical distance of the cameras from their centre.
    var contradicted: [(index: Int, deviation: Double)] {
        guard let pass = largestPass, let alignment = pass.alignment else { return [] }
        let mean = pass.reduce(Vector3d.zero) { $0 + $1.reconstructed } / Double(pass.count)
        let radius = quantile(pass.map { length($0.reconstructed - mean) }, 0.5)
        guard radius > 0 else { return [] }
        return zip(indices, errors(of: alignment)).filter { index, error in
            self[index].tracked.pass == pass[0].tracked.pass && error > Self.largestDeviation * radius
        }.map { ($0, $1 / radius) }
    }

    /// The transform from the tracker's world to the reconstruction that fits most cameras; nil if the centres are collinear.
    fileprivate var alignment: SimilarityTransform? {
        var used = self
        var alignment: SimilarityTransform?
        // The second time without photos that were aligned wrongly.
        for _ in 0..<2 {
            guard let found = SimilarityTransform.aligning(used.map(\.tracked.center), to: used.map(\.reconstructed)) else { return nil }
            let errors = errors(of: found)
            let median = quantile(errors, 0.5)
            used = zip(self, errors).filter { $0.1 <= 3 * median }.map(\.0)
            alignment = found
        }
        return alignment
    }

    /// The distance of each camera from its aligned tracked pose.
    fileprivate func errors(of alignment: SimilarityTransform) -> [Double] {
        map { length(alignment * $0.tracked.center - $0.reconstructed) }
    }
}

extension OrientedBox {
    /// The object's box of a capture, in the reconstruction's frame: the last one of the largest pass, because boxes grow during a pass.
    ///
    /// The centres of the cameras align the tracker's world with the reconstruction.
    ///
    /// - Returns: nil without a box, for fewer than four photos of each pass, and if the tracked centres differ by more than a quarter of the box.
    init?(trackedIn photos: [TrackedPhoto]) {
        guard let pass = photos.largestPass, let box = pass.last(where: { $0.tracked.box != nil })?.tracked.box else { return nil }
        guard let alignment = pass.alignment, quantile(pass.errors(of: alignment), 0.5) < 0.25 * alignment.scale * box.longestSide else {
            return nil
        }
        self = box.moved(by: alignment)
    }
}

/// The metres in a unit of the reconstruction, by the cameras' distances from each other in a capture.
struct TrackedScale: Equatable, Sendable {
    var metresPerUnit: Double
    /// The median relative difference of the distances' own scales.
    var residual: Double

    /// Trackers drift by a percent or two; beyond that their poses are wrong.
    var isReliable: Bool { residual < 0.05 }

    /// The median ratio of the tracked to the reconstructed distance of two cameras, over all pairs of the largest pass that are far apart.
    ///
    /// - Returns: nil for fewer than four cameras in each pass, or cameras without distance.
    static func estimate(_ photos: [TrackedPhoto]) -> TrackedScale? {
        guard let pass = photos.filter(\.tracked.isMetric).largestPass else { return nil }
        let step = max(1, pass.count / 150)
        let used = stride(from: 0, to: pass.count, by: step).map { pass[$0] }
        var distances: [(reconstructed: Double, tracked: Double)] = []
        for (index, a) in used.enumerated() {
            for b in used[(index + 1)...] {
                distances.append((length(a.reconstructed - b.reconstructed), length(a.tracked.center - b.tracked.center)))
            }
        }
        // Short distances are mostly error.
        let far = quantile(distances.map(\.tracked), 0.5)
        let ratios = distances.filter { $0.tracked >= far && $0.reconstructed > 0 }.map { $0.tracked / $0.reconstructed }
        guard far > 0, !ratios.isEmpty else { return nil }
        let scale = quantile(ratios, 0.5)
        guard scale > 0, scale.isFinite else { return nil }
        return TrackedScale(metresPerUnit: scale, residual: quantile(ratios.map { abs($0 / scale - 1) }, 0.5))
    }
}
