import VitrineGeometry

extension Node {
    /// Returns a level floor that shows only shadows (`Material.isShadowReceiver`), just below `bounds` and ten times as wide, for shadows of
    /// low lights.
    ///
    /// ```swift
    /// scene.rootNode.addChildNode(.shadowReceiver(under: scene.bounds))
    /// ```
    public static func shadowReceiver(under bounds: BoundingBox) -> Node {
        let material = Material(name: "shadow receiver")
        material.isShadowReceiver = true
        let size = max(bounds.radius * 20, 1e-3)
        let node = Node(name: "shadow receiver", mesh: Mesh(geometry: .plane(width: size, height: size), material: material))
        node.castsShadow = false
        node.orientation = Quaternion(angle: .degrees(-90), axis: .right)
        let center = bounds.center
        node.position = Vector3(center.x, bounds.isEmpty ? 0 : bounds.minimum.y, center.z)
        return node
    }
}
