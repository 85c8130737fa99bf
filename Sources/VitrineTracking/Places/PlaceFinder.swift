import VitrineMath
import VitrineVision

/// Where a picture of a known place was taken from.
public struct PlaceMatch: Equatable, Sendable {
    /// In the world of the views that know the place.
    public var worldFromCamera: RigidTransform
    /// Rotation (radians, about the world's axes), then position (metres): 6×6 by rows.
    public var covariance: [Double]
    /// How many points agree, and how many were thought to be seen.
    public var agreeing: Int
    public var matched: Int
    /// Which world that is.
    var world: Int
}

/// Compares a picture with views that are kept, and finds where it was taken from.
struct PlaceFinder {
    let settings: PlaceSettings

    /// A picture's features, as the search wants them.
    struct Query {
        var view: PlaceView
        /// Of each of the view's features its unit direction in the camera's frame; nil where it is of no use.
        var rays: [Vector3d?]
        /// Only the turn counts, and of it only how it stands to gravity.
        var worldFromCamera: RigidTransform
        var camera: TrackingCamera
    }

    func find(_ query: Query, in keyframes: [PlaceKeyframe], isAllowed: (PlaceKeyframe) -> Bool) -> PlaceMatch? {
        let similar = similar(query.view, keyframes, isAllowed)
        guard let world = similar.first.map({ keyframes[$0].world }) else { return nil }
        var matches: [PlacePose.Match] = []
        for index in similar where keyframes[index].world == world { append(query, keyframes[index], to: &matches) }
        let focal = 0.5 * (query.camera.focal.x + query.camera.focal.y)
        let search = PlacePose(tolerance: settings.tolerance / focal, tilt: settings.tilt / 3, seed: settings.seed)
        guard let result = search.solve(matches) else { return nil }
        let matched = Set(matches.map(\.feature)).count
        guard isBelieved(result, matches, matched, query) else { return nil }
        let rotation = result.rotation * query.worldFromCamera.rotation
        return PlaceMatch(
            worldFromCamera: RigidTransform(rotation: rotation, translation: result.center), covariance: result.covariance,
            agreeing: result.agreeing.count, matched: matched, world: world)
    }

    /// The views most like the picture, best first; equal ones by their number.
    private func similar(_ view: PlaceView, _ keyframes: [PlaceKeyframe], _ isAllowed: (PlaceKeyframe) -> Bool) -> [Int] {
        let votes = keyframes.map { keyframe -> Int in
            guard isAllowed(keyframe) else { return 0 }
            // As near, nearer, farther, and in between.
            return keyframe.small.likeness(view.looks[0]) + keyframe.small.likeness(view.looks[1])
                + keyframe.small.likeness(view.looks[2]) + keyframe.large.likeness(view.looks[0]) + keyframe.large.likeness(view.looks[1])
        }
        return votes.indices.filter { votes[$0] >= 5 }.sorted { (votes[$1], $0) < (votes[$0], $1) }.prefix(settings.candidates).map { $0 }
    }

    private func append(_ query: Query, _ keyframe: PlaceKeyframe, to matches: inout [PlacePose.Match]) {
        var seen = Set<SIMD2<Int32>>()
        for (kept, new) in PlaceView.pairs {
            let (mine, theirs) = (query.view.looks[new], kept == 0 ? keyframe.small : keyframe.large)
            for match in mine.set.matches(theirs.set, ratio: settings.ratio) {
                let (feature, point) = (mine.owners[match.first], theirs.owners[match.second])
                guard let ray = query.rays[Int(feature)], seen.insert(SIMD2(feature, point)).inserted else { continue }
                matches.append(
                    PlacePose.Match(
                        feature: Int(feature), direction: query.worldFromCamera.rotation * ray,
                        point: Vector3d(keyframe.points[Int(point)])))
            }
        }
    }

    private func isBelieved(_ result: PlacePose.Result, _ matches: [PlacePose.Match], _ matched: Int, _ query: Query) -> Bool {
        let agreeing = result.agreeing.count
        guard agreeing >= settings.leastAgreeing, Double(agreeing) >= settings.leastShare * Double(matched) else { return false }
        guard length(cross(Vector3d(0, 1, 0), result.rotation.y)) < settings.tilt, result.rotation.y.y > 0 else { return false }
        var parts = Set<Int>()
        let back = query.worldFromCamera.rotation.transpose
        for index in result.agreeing {
            let pixel = query.camera.project(back * matches[index].direction)
            let column = min(max(Int(4 * pixel.x / Double(query.camera.width)), 0), 3)
            parts.insert(column + 4 * min(max(Int(3 * pixel.y / Double(query.camera.height)), 0), 2))
        }
        return parts.count >= settings.leastSpread
    }
}
