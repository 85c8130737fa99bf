import VitrineMath
import VitrineVision

/// What one picture shows of a place, before it is known where it was taken from.
struct PlaceView: Sendable {
    /// On the camera's clock.
    var time: Double
    var isForKeeping: Bool
    var isForFinding: Bool
    /// Rising.
    var ids: [Int]
    /// One for each of `sizes`.
    var looks: [PlaceDescriptors]

    /// Sizes of surroundings, as the blur in pixels of the tracked picture: views are kept in the outer two. A picture that is to be found
    /// has all three, which together fit views from half to twice the distance.
    static let sizes: [Float] = [2, 2.83, 4]
    /// Which of a kept view's looks (0: small, 1: large) are compared with which of a new picture's.
    static let pairs = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]

    /// Describes the front end's features of the newest picture.
    init(_ tracks: [FeatureTracker.Track], _ pyramid: ImagePyramid, time: Double, isForKeeping: Bool, isForFinding: Bool) {
        (self.time, self.isForKeeping, self.isForFinding) = (time, isForKeeping, isForFinding)
        ids = tracks.map(\.id)
        var describer = CornerDescriber()
        looks = Self.sizes.enumerated().map { index, size in
            guard isForFinding || index != 1 else { return PlaceDescriptors() }
            // The picture that is halved so often that it has about the blur asked for.
            let level = min(pyramid.levels.count - 1, size < 4 ? 1 : 2)
            let scale = 1 / Float(1 << level)
            let source = pyramid.levels[level]
            let (owners, set) = source.values.withUnsafeBufferPointer {
                describer.describe(
                    $0.baseAddress! + source.origin, width: source.width, height: source.height, stride: source.stride,
                    corners: tracks.map { $0.place * scale }, scale: size * scale)
            }
            return PlaceDescriptors(owners: owners, set: set)
        }
    }

    var small: PlaceDescriptors { looks[0] }
    var large: PlaceDescriptors { looks[2] }
}
