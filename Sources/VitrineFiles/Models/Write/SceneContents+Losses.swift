import VitrineScene

/// What a scene may hold beside nodes, meshes and materials.
struct SceneFeatures: OptionSet {
    let rawValue: Int

    static let animations = SceneFeatures(rawValue: 1 << 0)
    static let skins = SceneFeatures(rawValue: 1 << 1)
    static let morphTargets = SceneFeatures(rawValue: 1 << 2)
    static let cameras = SceneFeatures(rawValue: 1 << 3)
    static let lights = SceneFeatures(rawValue: 1 << 4)
    static let opacity = SceneFeatures(rawValue: 1 << 5)

    static let variants = SceneFeatures(rawValue: 1 << 6)

    static let all: SceneFeatures = [.animations, .skins, .morphTargets, .cameras, .lights, .opacity, .variants]
}

extension SceneContents {
    /// A warning for each thing of the scene that is one of these `features`, for a writer whose format has no place for them.
    func losses(_ features: SceneFeatures) -> [ModelWarning] {
        var warnings: [ModelWarning] = []
        func leaveOut(_ what: String, at place: String) { warnings.append(ModelWarning(place: place, message: "\(what): not written")) }
        if features.contains(.animations), !clips.isEmpty { leaveOut("\(clips.count) animations", at: "") }
        if features.contains(.variants), !variantNames.isEmpty {
            leaveOut("\(variantNames.count) material variants (the one that is shown is written)", at: "")
        }
        for entry in entries {
            if features.contains(.opacity), entry.node.opacity != 1 { leaveOut("opacity \(entry.node.opacity)", at: entry.place) }
            if features.contains(.cameras), entry.node.camera != nil { leaveOut("a camera", at: entry.place) }
            if features.contains(.lights), entry.node.light != nil { leaveOut("a light", at: entry.place) }
            if features.contains(.skins), entry.skin != nil {
                leaveOut("a skin (the mesh is written in its bind pose)", at: entry.place)
            }
        }
        guard features.contains(.morphTargets) else { return warnings }
        for (index, mesh) in meshes.enumerated() {
            let count = morphTargetCount(ofMesh: index)
            if count > 0 { leaveOut("\(count) morph targets", at: "mesh \"\(mesh.name)\"") }
        }
        return warnings
    }
}
