import VitrineMath
import VitrineVision

extension SessionEngine {
    /// The anchors as the newest frame has them, and the points in the app's world.
    func worldMap() throws(ARError) -> ARWorldMap {
        let kept = world.familiarity.kept.sorted { $0.key < $1.key }
        guard !kept.isEmpty else {
            throw ARError(.insufficientFeatures, "no point of the world has a place yet: look around until tracking is normal")
        }
        return ARWorldMap(
            anchors: shared.currentFrame?.anchors ?? [],
            rawFeaturePoints: ARPointCloud(
                points: kept.map { Vector3(world.sessionFromTracker * $0.value) }, identifiers: kept.map { UInt64($0.key) }))
    }
}
