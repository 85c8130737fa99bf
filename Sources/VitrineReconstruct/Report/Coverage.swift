import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The directions from which an object was photographed.
struct Coverage: Sendable {
    /// The direction of a camera from the object's centre.
    struct Direction: Sendable {
        let name: String
        let direction: CoverageGrid.Direction

        var azimuth: Double { direction.azimuth }
        var elevation: Double { direction.elevation }
    }

    let directions: [Direction]

    init(_ summary: ReconstructionSummary) {
        let middle = summary.bounds?.center ?? Vector3(0, 0, 0)
        directions = summary.photos.compactMap { photo in
            guard let pose = photo.pose else { return nil }
            return CoverageGrid.Direction(of: pose.translation - middle).map { Direction(name: photo.name, direction: $0) }
        }
    }

    /// The widest range of azimuths without a photo: its size, where it begins, and the photos at its edges. Nil for fewer than two photos.
    var widestGap: (degrees: Double, from: Double, before: String, after: String)? {
        let sorted = directions.sorted { ($0.azimuth, $0.name) < ($1.azimuth, $1.name) }
        guard sorted.count >= 2 else { return nil }
        var widest = (degrees: -1.0, from: 0.0, before: "", after: "")
        for (index, direction) in sorted.enumerated() {
            let next = sorted[(index + 1) % sorted.count]
            let gap = index + 1 < sorted.count ? next.azimuth - direction.azimuth : next.azimuth + 360 - direction.azimuth
            if gap > widest.degrees { widest = (gap, direction.azimuth, direction.name, next.name) }
        }
        return widest
    }

    /// Whether all photos were taken from one side: the other side of the object is not observed.
    var isOneSided: Bool { (widestGap?.degrees ?? 0) >= 170 }

    /// The lowest and highest elevation, without the outermost twentieth on either side.
    var elevationRange: ClosedRange<Double>? {
        let sorted = directions.map(\.elevation).sorted()
        guard let first = sorted.first else { return nil }
        let cut = sorted.count / 20
        let (low, high) = (sorted[min(cut, sorted.count - 1)], sorted[max(0, sorted.count - 1 - cut)])
        return low <= high ? low...high : first...first
    }
}

extension ReconstructionSummary {
    /// The directions of the report's images of the model, front first: all around the object, or only its observed side.
    ///
    /// Azimuths are degrees about +Y, 0 in front of the object (+Z), increasing towards +X.
    package var viewpoints: [(name: String, azimuth: Float)] {
        Coverage(self).isOneSided
            ? [("front", 0), ("right", 40), ("left", -40)] : [("front", 0), ("right", 90), ("back", 180), ("left", 270)]
    }
}
