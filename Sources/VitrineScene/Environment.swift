import VitrineMath

/// What is seen behind the scene.
public enum Background {
    /// Nothing: alpha 0.
    case transparent
    case color(Color)
    /// The environment's own picture, turned with it.
    case environment
    /// Another picture in any of the environment's layouts, turned with the environment.
    case image(Image)
}

/// Light from all around: an equirectangular picture, twice as wide as high, or a cube in one of the layouts of `EnvironmentLayout`.
///
/// Integers are sRGB, floats linear radiance. An equirectangular picture's middle lies towards +X, its upper edge towards +Y; a quarter of its width to the right of the middle lies towards +Z.
/// `rotation` turns light and background together about +Y (right-handed) and costs nothing.
public final class Environment {
    /// nil: black.
    public var image: Image? {
        didSet { version &+= 1 }
    }
    /// Multiplies the light and the visible environment.
    public var intensity: Float
    public var rotation: Angle
    public var background: Background {
        didSet { version &+= 1 }
    }
    /// How unsharp the visible environment (or background picture) is, 0…1: as a mirror of this roughness shows it. Default 0.
    public var backgroundBlur: Float = 0
    /// Puts the visible environment on the ground. Default nil: it is infinitely far.
    public var ground: GroundProjection?
    /// Rises when a picture changes, not with intensity or rotation.
    public private(set) var version = 0

    public init(image: Image? = nil, intensity: Float = 1, rotation: Angle = .zero, background: Background = .environment) {
        (self.image, self.intensity, self.rotation, self.background) = (image, intensity, rotation, background)
    }
}
