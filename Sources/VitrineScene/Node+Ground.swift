import VitrineGeometry

extension Node {
    /// A floor that shows only shadows (`Material.isShadowReceiver`), level, just under what stands in `bounds`, and wide enough for the
    /// shadow of a low light: ten times as wide as the bounds are large.
    ///
    /// ```swift
    /// scene.rootNode.addChildNode(.shadowReceiver(under: scene.bounds))
    /// ```
    public static func shadowReceiver(under bounds: BoundingBox) -> Node {
        let material = Material(name: "shadow catcher")
        material.isShadowReceiver = true
        let size = max(bounds.radius * 20, 1e-3)
        let node = Node(name: "shadow catcher", mesh: Mesh(geometry: .plane(width: size, height: size), material: material))
        node.castsShadow = false
        node.orientation = Quaternion(angle: .degrees(-90), axis: .right)
        let center = bounds.center
        node.position = Vector3(center.x, bounds.isEmpty ? 0 : bounds.minimum.y, center.z)
        return node
    }
}
