import VitrineVision

/// The point of a model that each feature observes.
struct ObservedPoints {
    /// By photo and feature; -1 for none.
    private var points: [[Int32]]

    init(of model: SparseModel, photoCount: Int) {
        points = Array(repeating: [], count: photoCount)
        for (index, point) in model.points.enumerated() {
            for observation in point.observations {
                let (photo, feature) = (Int(observation.x), Int(observation.y))
                if feature >= points[photo].count {
                    points[photo] += Array(repeating: -1, count: feature + 1 - points[photo].count)
                }
                points[photo][feature] = Int32(index)
            }
        }
    }

    /// The index of the point that a feature of a photo observes; nil for none.
    subscript(photo: Int, feature: UInt32) -> Int? {
        guard Int(feature) < points[photo].count, points[photo][Int(feature)] >= 0 else { return nil }
        return Int(points[photo][Int(feature)])
    }
}
