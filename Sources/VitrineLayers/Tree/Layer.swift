import VitrineGeometry

/// A flat shape in 3D space with a fill, a stroke and sublayers.
///
/// ```swift
/// let card = Layer(frame: Rectangle(x: 40, y: 40, width: 320, height: 200))
/// card.cornerRadius = 24
/// card.fill = .color(Color(sRGB: 0x1B5E8C))
/// card.stroke = Stroke(.white, width: 2, placement: .inside)
/// card.transform = Matrix4(perspectiveDistance: 600) * Matrix4(Matrix3(Quaternion(angle: .degrees(30), axis: [0, 1, 0])))
/// root.add(card)
/// let image = try LayerRenderer(device).image(of: root, size: [400, 280], scale: 3)
/// ```
///
/// **Coordinates.** Points; x to the right, y down, z towards the viewer. A layer's `bounds` are in its own plane z = 0. `position` is the
/// position of its anchor point in the parent, `zPosition` its distance in front of the parent's plane, and `transform` acts about the anchor
/// point: `parentFromLayer = T(position, zPosition) · transform · T(−anchor)`. Sublayers are also transformed by `sublayerTransform`, about the
/// same point, and by `perspectiveDistance`.
///
/// **Depth.** Layers of one parent are drawn by depth, and at equal depth in the order of `sublayers`. By default a layer is flattened: its
/// sublayers are projected onto its plane. With `isFlattened = false`, they share the 3D space of its siblings.
///
/// **Order.** Fill, stroke, sublayers (clipped to the shape with `clipsToBounds`); then, for all of them as a group: effects, blur, mask, shadow,
/// opacity, blend mode.
///
/// A parent owns its sublayers; a layer does not own its parent. Use the layers of one tree from one thread at a time.
public final class Layer {
    /// The name, for `layer(named:)`.
    public var name: String
    /// The sublayers, from back to front.
    public private(set) var sublayers: [Layer] = []
    /// Not owned; the parent's deinit clears it.
    private unowned(unsafe) var parentReference: Layer?
    /// The layer that this is a sublayer or the mask of.
    public var parent: Layer? { parentReference }

    // MARK: Place

    /// The rectangle of the shape, in the layer's coordinates. Default: empty, at the origin.
    public var bounds: Rectangle { didSet { if bounds != oldValue { changed() } } }
    /// The position of the anchor point in the parent's coordinates.
    public var position: Vector2 { didSet { if position != oldValue { changed() } } }
    /// The origin of `position` and of transforms, in fractions of `bounds` from the upper left. Default: the centre.
    public var anchorPoint = Vector2(0.5, 0.5) { didSet { if anchorPoint != oldValue { changed() } } }
    /// The distance in front of the parent's plane, in points.
    public var zPosition: Float = 0 { didSet { if zPosition != oldValue { changed() } } }
    /// The transform about the anchor point. May be projective.
    public var transform = Matrix4.identity { didSet { if transform != oldValue { changed() } } }
    /// The transform of all sublayers, about this layer's anchor point.
    public var sublayerTransform = Matrix4.identity { didSet { if sublayerTransform != oldValue { changed() } } }
    /// The distance d in points of the eye in front of the anchor point, for the perspective of sublayers after `sublayerTransform` (m34 = −1/d:
    /// w = 1 − z/d). nil: no perspective.
    public var perspectiveDistance: Float? { didSet { if perspectiveDistance != oldValue { changed() } } }
    /// Whether the layer is visible from behind. Default true.
    public var isDoubleSided = true { didSet { if isDoubleSided != oldValue { changed() } } }
    /// Whether sublayers are projected onto this layer's plane; false: they share the parent's 3D space. Default true.
    ///
    /// Properties of the whole group (opacity below 1 with sublayers, blur, mask, shadow, clipping, blend mode) always flatten it.
    public var isFlattened = true { didSet { if isFlattened != oldValue { changed() } } }

    // MARK: Look

    /// The shape. Default: a rectangle.
    public var shape = LayerShape.rectangle {
        didSet {
            outlineToken = MaskAtlas.Token()
            changed()
        }
    }
    /// The corner radius of rectangles in points, clamped to half the shorter side.
    public var cornerRadius: Float = 0 { didSet { if cornerRadius != oldValue { changed() } } }
    /// The fill of the shape; nil: none.
    public var fill: Fill? {
        didSet {
            oldValue?.drawing?.content.detach(self)
            fill?.drawing?.content.attach(self)
            changed()
        }
    }
    /// The stroke along the outline of the shape; nil: none.
    public var stroke: Stroke? {
        didSet {
            guard stroke != oldValue else { return }
            if stroke?.outline != oldValue?.outline { outlineToken = MaskAtlas.Token() }
            changed()
        }
    }
    /// Replaced when the coverage of the path changes.
    private(set) var outlineToken = MaskAtlas.Token()
    /// The opacity of the layer with its sublayers as a group, 0…1.
    public var opacity: Float = 1 { didSet { if opacity != oldValue { changed() } } }
    /// Whether the layer and its sublayers are invisible.
    public var isHidden = false { didSet { if isHidden != oldValue { changed() } } }
    /// How the layer blends with its backdrop.
    public var blendMode = BlendMode.normal { didSet { if blendMode != oldValue { changed() } } }
    /// Whether sublayers are clipped to the shape.
    public var clipsToBounds = false { didSet { if clipsToBounds != oldValue { changed() } } }
    /// Shader effects on the layer with its sublayers, applied in order. Their positions are points of the layer.
    public var effects: [ShaderEffect] = [] { didSet { if effects != oldValue { changed() } } }
    /// The standard deviation of a Gaussian blur of the layer with its sublayers, in points.
    public var blur: Float = 0 { didSet { if blur != oldValue { changed() } } }
    /// The shadow; nil: none.
    public var shadow: Shadow? { didSet { if shadow != oldValue { changed() } } }
    /// A layer whose alpha multiplies that of this layer; positioned like a sublayer.
    public var mask: Layer? {
        get { ownedMask }
        set { setMask(newValue) }
    }
    private var ownedMask: Layer?
    /// Whether `hitTest` considers the layer and its sublayers. Default true.
    public var allowsHitTesting = true

    // MARK: Changes

    /// Incremented by every change of this layer, its sublayers and masks.
    public private(set) var changeCount: UInt64 = 0
    /// Called on the root after every change in its tree.
    public var onChange: (() -> Void)?

    /// Creates a layer.
    public init(name: String = "", bounds: Rectangle = .zero, position: Vector2 = Vector2(0, 0)) {
        (self.name, self.bounds, self.position) = (name, bounds, position)
    }

    /// Creates a layer that covers `frame` in its parent. The origin of its coordinates is its upper left corner.
    public convenience init(name: String = "", frame: Rectangle) {
        self.init(name: name, bounds: Rectangle(origin: Vector2(0, 0), size: frame.size), position: frame.center)
    }

    deinit {
        fill?.drawing?.content.detach(self)
        for layer in sublayers { layer.parentReference = nil }
        ownedMask?.parentReference = nil
    }

    /// Redraws the layer, with its `.drawing` fill if it has one. Call it after a change that the layer cannot observe.
    public func setNeedsDisplay() {
        guard let drawing = fill?.drawing else { return changed() }
        drawing.setNeedsDisplay()
    }

    /// Called when the drawing that fills the layer has changed.
    func contentChanged() { changed() }

    private func changed() {
        var layer = self
        layer.changeCount &+= 1
        while let parent = layer.parentReference {
            layer = parent
            layer.changeCount &+= 1
        }
        layer.onChange?()
    }
}

// MARK: The tree

extension Layer {
    /// Adds a layer in front of the other sublayers, removing it from its parent. Adding a layer to itself or to its descendants has no effect and
    /// is an assertion failure in debug builds.
    public func add(_ layer: Layer) { insert(layer, at: layer.parentReference === self ? sublayers.count - 1 : sublayers.count) }

    /// Inserts a layer at an index, which is clamped to the valid range.
    public func insert(_ layer: Layer, at index: Int) {
        if liesOn(layer) { return assertionFailure("a layer can't be its own descendant") }
        layer.removeFromParent()
        sublayers.insert(layer, at: min(max(index, 0), sublayers.count))
        layer.parentReference = self
        changed()
    }

    /// Removes the layer from its parent, as a sublayer or a mask.
    public func removeFromParent() {
        guard let parent = parentReference else { return }
        if parent.ownedMask === self {
            parent.ownedMask = nil
        } else if let index = parent.sublayers.firstIndex(where: { $0 === self }) {
            parent.sublayers.remove(at: index)
        }
        parentReference = nil
        parent.changed()
    }

    private func setMask(_ layer: Layer?) {
        guard layer !== ownedMask else { return }
        if let layer, liesOn(layer) { return assertionFailure("a layer can't mask its ancestor") }
        ownedMask?.parentReference = nil
        layer?.removeFromParent()
        ownedMask = layer
        layer?.parentReference = self
        changed()
    }

    /// Whether the layer is `other` or a descendant of it.
    private func liesOn(_ other: Layer) -> Bool {
        var ancestor: Layer? = self
        while let next = ancestor {
            if next === other { return true }
            ancestor = next.parentReference
        }
        return false
    }

    /// Returns the first layer with a name: this one, then its descendants depth first.
    public func layer(named name: String) -> Layer? {
        if self.name == name { return self }
        for layer in sublayers {
            if let found = layer.layer(named: name) { return found }
        }
        return nil
    }
}
