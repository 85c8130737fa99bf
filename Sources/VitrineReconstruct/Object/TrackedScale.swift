import VitrineFiles
import VitrineMath
import VitrineVision

/// The centre of a photo's camera as a capture session tracked it.
struct TrackedCenter: Equatable, Sendable {
    /// In metres, in the world of the tracker.
    var center: Vector3d
    /// The session and the pose of the object: only centres of one pass share a world in which the object rests.
    var pass: String
}

extension TrackedCenter: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(center)
        writer.write(pass)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> TrackedCenter {
        TrackedCenter(center: try reader.vector3(), pass: try reader.text())
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
    static func estimate(_ cameras: [(reconstructed: Vector3d, tracked: TrackedCenter)]) -> TrackedScale? {
        let passes = Dictionary(grouping: cameras.indices) { cameras[$0].tracked.pass }
        // The first of passes of the same size: dictionaries have no order.
        guard let pass = passes.values.max(by: { ($0.count, -$0[0]) < ($1.count, -$1[0]) }), pass.count >= 4 else { return nil }
        let step = max(1, pass.count / 150)
        let used = stride(from: 0, to: pass.count, by: step).map { cameras[pass[$0]] }
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
