import VitrineMath
import VitrineScene

// SceneKit's names on materials and their properties. Their use is an error that names the replacement.

extension Material {
    @available(*, unavailable, renamed: "baseColor")
    public var diffuse: ColorSlot {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "occlusion")
    public var ambientOcclusion: ScalarSlot {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use opacity with alphaMode = .blend")
    public var transparency: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use opacity with alphaMode = .blend")
    public var transparent: ScalarSlot {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "highlight.shininess")
    public var shininess: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "clearcoat.factor")
    public var clearCoat: ScalarSlot {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "clearcoat.roughness")
    public var clearCoatRoughness: ScalarSlot {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use surfaceFunction, in WGSL")
    public var shaderModifiers: [String: String]? {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "the environment reflects by itself: use metalness and roughness, or specular")
    public var reflective: ColorSlot {
        get { fatalError() }
        set { fatalError() }
    }
}

extension ColorSlot {
    @available(*, unavailable, message: "use factor = color.linear for a colour, or image = try Image(contentsOf: url) for an image")
    public var contents: Any? {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use map?.texture.sampler.wrapS and wrapT")
    public var wrapS: WrapMode {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "map.transform")
    public var contentsTransform: Matrix4 {
        get { fatalError() }
        set { fatalError() }
    }
}

extension ScalarSlot {
    @available(*, unavailable, message: "use factor for a number, or image = try Image(contentsOf: url) and channel for an image")
    public var contents: Any? {
        get { fatalError() }
        set { fatalError() }
    }
}

extension NormalSlot {
    @available(*, unavailable, message: "use image = try Image(contentsOf: url)")
    public var contents: Any? {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "scale")
    public var intensity: Float {
        get { fatalError() }
        set { fatalError() }
    }
}
