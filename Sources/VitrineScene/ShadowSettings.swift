/// How finely a light's shadow is drawn. There is no bias to tune: it follows from the size of a shadow map's texels.
public struct ShadowSettings: Equatable, Sendable {
    /// Texels along the edge of a shadow map, 64…4,096, rounded up to a power of two; nil: 2,048 for directional lights (each cascade),
    /// 1,024 for others (each side of the cube around a point light).
    public var resolution: Int?
    /// Directional light: how many maps share the depth of the view, 1…4, each coarser than the one before it. A scene that fits one map
    /// gets one. Default 4.
    public var cascadeCount: Int
    /// Directional light: metres from the camera at which shadows end; nil: none, as far as there is anything to throw one.
    public var distance: Float?

    /// Makes settings; see the properties for defaults.
    public init(resolution: Int? = nil, cascadeCount: Int = 4, distance: Float? = nil) {
        (self.resolution, self.cascadeCount, self.distance) = (resolution, cascadeCount, distance)
    }
}
