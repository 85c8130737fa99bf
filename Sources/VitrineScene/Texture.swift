import VitrineMath

/// What happens to texture coordinates outside 0…1.
public enum WrapMode: Equatable, Hashable, Sendable {
    /// Repeats the image.
    case `repeat`
    /// Repeats the image, every other copy mirrored.
    case mirroredRepeat
    /// Continues the texels of the edge.
    case clampToEdge
}

/// How texels are interpolated.
public enum FilterMode: Equatable, Hashable, Sendable {
    /// Takes the nearest texel.
    case nearest
    /// Interpolates between neighbouring texels.
    case linear
}

/// How texels become a colour.
public struct Sampler: Equatable, Hashable, Sendable {
    /// Along u.
    public var wrapS: WrapMode
    /// Along v.
    public var wrapT: WrapMode
    /// Where a texel covers several pixels.
    public var magnification: FilterMode
    /// Where a pixel covers several texels.
    public var minification: FilterMode
    /// Between mip levels; nil: the full-size level only.
    public var mip: FilterMode?
    /// 1…16: samples along the direction in which the texture is squeezed most.
    public var maximumAnisotropy: Int

    /// Makes a sampler. Default: linear filtering with mip levels, repeating.
    public init(
        wrapS: WrapMode = .repeat, wrapT: WrapMode = .repeat, magnification: FilterMode = .linear, minification: FilterMode = .linear,
        mip: FilterMode? = .linear, maximumAnisotropy: Int = 1
    ) {
        (self.wrapS, self.wrapT, self.magnification, self.minification) = (wrapS, wrapT, magnification, minification)
        (self.mip, self.maximumAnisotropy) = (mip, maximumAnisotropy)
    }
}

/// The contents of a texture: compressed bytes (PNG, JPEG …), or pixels.
///
/// A model reader without codecs leaves the compressed bytes for a later decoder.
public enum TextureContent: Sendable {
    /// Compressed bytes of an image file.
    case encoded([UInt8])
    /// Pixels.
    case image(Image)
}

/// An image with a sampler. Shared by identity, so that it is uploaded once.
public final class Texture {
    /// For messages and files.
    public var name: String
    /// Compressed bytes or pixels.
    public var content: TextureContent {
        didSet {
            version &+= 1
            isKnownDecodable = false
        }
    }
    /// How texels are read.
    public var sampler: Sampler
    /// Incremented by every change of `content`.
    public private(set) var version = 0
    /// The image in place of `content`, if the platform has decoded it. Default nil.
    package var platformImage: PlatformImage? {
        didSet { version &+= 1 }
    }
    /// Whether the current content has been decoded without an error. Setting `content` resets it.
    package var isKnownDecodable = false

    /// Makes a texture.
    public init(name: String = "", content: TextureContent, sampler: Sampler = Sampler()) {
        (self.name, self.content, self.sampler) = (name, content, sampler)
    }

    /// Makes a texture of an image.
    public convenience init(_ image: Image, sampler: Sampler = Sampler()) {
        self.init(name: image.name, content: .image(image), sampler: sampler)
    }
}

/// An image that the platform has decoded and keeps outside of the program's memory, such as a browser's `ImageBitmap`.
package final class PlatformImage {
    /// The platform's number for the image.
    package let number: UInt32
    /// In pixels.
    package let width, height: Int
    private let release: (UInt32) -> Void

    /// Makes an image.
    ///
    /// - Parameter release: Frees the platform's image. Called when nothing refers to this object any more.
    package init(number: UInt32, width: Int, height: Int, release: @escaping (UInt32) -> Void) {
        (self.number, self.width, self.height, self.release) = (number, width, height, release)
    }

    deinit { release(number) }
}

/// A transform of texture coordinates (KHR_texture_transform): `uv' = offset + R(rotation) · (scale · uv)`.
public struct TextureTransform: Equatable, Hashable, Sendable {
    /// Added last.
    public var offset: Vector2
    /// Counter-clockwise in a frame whose v points up; about the origin of uv.
    public var rotation: Angle
    /// Applied first.
    public var scale: Vector2

    /// Makes a transform; without arguments the identity.
    public init(offset: Vector2 = Vector2(0, 0), rotation: Angle = .zero, scale: Vector2 = Vector2(1, 1)) {
        (self.offset, self.rotation, self.scale) = (offset, rotation, scale)
    }

    /// No change.
    public static var identity: TextureTransform { TextureTransform() }

    /// The rows (a, b, c) of `u' = a u + b v + c`, first for u, then for v.
    public var rows: (Vector3, Vector3) {
        let (s, c) = (sin(rotation.radians), cos(rotation.radians))
        return (Vector3(c * scale.x, s * scale.y, offset.x), Vector3(-s * scale.x, c * scale.y, offset.y))
    }
}

/// One channel of a texture, for slots that want a single number.
public enum TextureChannel: Int, Equatable, Hashable, Sendable {
    /// The red channel, the only one of a gray image.
    case red
    /// The green channel.
    case green
    /// The blue channel.
    case blue
    /// The alpha channel; 1 in images without one.
    case alpha
}

/// A texture as one slot of a material uses it.
public struct TextureMap {
    /// The image and its sampler.
    public var texture: Texture
    /// Which set of texture coordinates.
    public var set: Int
    /// Applied to the texture coordinates.
    public var transform: TextureTransform

    /// Makes a map of a texture.
    public init(_ texture: Texture, set: Int = 0, transform: TextureTransform = .identity) {
        (self.texture, self.set, self.transform) = (texture, set, transform)
    }
}
