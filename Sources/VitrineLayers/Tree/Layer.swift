import VitrineGeometry

/// A flat thing in 3D space: a shape with a fill and a stroke, and the layers that lie on it.
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
/// **Space.** Points; x to the right, y down, z towards the viewer. A layer's `bounds` lie in its own plane z = 0. `position` is where its
/// anchor point is in the parent, `zPosition` how far that is in front of the parent's plane, and `transform` acts about the anchor point:
/// `parentFromLayer = T(position, zPosition) · transform · T(−anchor)`. What lies on a layer goes through its `sublayerTransform` too, about
/// the same point, and through its `perspectiveDistance`.
///
/// **Depth.** Layers of one parent are drawn by depth, and in their order in `sublayers` where depth doesn't decide. A layer is flattened: it
/// is one plane to its neighbours, and what stands out of it is painted on it as it is seen from straight ahead. With `isFlattened = false` its
/// sublayers stand among its neighbours, in one 3D space.
///
/// **Order.** Fill, stroke, sublayers (clipped to the shape with `clipsToBounds`); then of all that together: effects, blur, mask, shadow, opacity, blend.
///
/// A parent owns its sublayers; a layer doesn't own its parent. Use the layers of one tree from one thread at a time.
public final class Layer {
    public var name: String
    public private(set) var sublayers: [Layer] = []
    /// Not owned: a parent that goes away clears it.
    private unowned(unsafe) var parentReference: Layer?
    /// What this layer lies on, or whose mask it is.
    public var parent: Layer? { parentReference }

    // MARK: Place

    /// What the shape fills, in the layer's own coordinates. Default: empty, at the origin.
    public var bounds: Rectangle { didSet { if bounds != oldValue { changed() } } }
    /// Where the anchor point is, in the parent's coordinates.
    public var position: Vector2 { didSet { if position != oldValue { changed() } } }
    /// The point of `bounds` that `position` places and transforms turn about, 0…1 from the upper left. Default: the middle.
    public var anchorPoint = Vector2(0.5, 0.5) { didSet { if anchorPoint != oldValue { changed() } } }
    /// Points in front of the parent's plane.
    public var zPosition: Float = 0 { didSet { if zPosition != oldValue { changed() } } }
    /// About the anchor point. May be projective.
    public var transform = Matrix4.identity { didSet { if transform != oldValue { changed() } } }
    /// Of all sublayers, about this layer's anchor point.
    public var sublayerTransform = Matrix4.identity { didSet { if sublayerTransform != oldValue { changed() } } }
    /// Sublayers are seen by an eye so many points in front of this layer's anchor point (m34 = −1/d: w = 1 − z/d), after
    /// `sublayerTransform`. nil: from infinitely far.
    public var perspectiveDistance: Float? { didSet { if perspectiveDistance != oldValue { changed() } } }
    /// Whether it is seen from behind. Default true.
    public var isDoubleSided = true { didSet { if isDoubleSided != oldValue { changed() } } }
    /// Whether sublayers are painted on this layer's plane; false: they stand in the parent's 3D space. Default true.
    ///
    /// What needs the layer in one piece (opacity below 1 with sublayers, blur, mask, shadow, clipping, blending) flattens it anyway.
    public var isFlattened = true { didSet { if isFlattened != oldValue { changed() } } }

    // MARK: Look

    public var shape = LayerShape.rectangle {
        didSet {
            outlineToken = MaskAtlas.Token()
            changed()
        }
    }
    /// Of rectangles, points; held to half of the shorter side.
    public var cornerRadius: Float = 0 { didSet { if cornerRadius != oldValue { changed() } } }
    /// nil: nothing is drawn inside of the shape.
    public var fill: Fill? {
        didSet {
            oldValue?.drawing?.content.detach(self)
            fill?.drawing?.content.attach(self)
            changed()
        }
    }
    public var stroke: Stroke? {
        didSet {
            guard stroke != oldValue else { return }
            if stroke?.outline != oldValue?.outline { outlineToken = MaskAtlas.Token() }
            changed()
        }
    }
    /// Another one whenever what a path covers changes.
    private(set) var outlineToken = MaskAtlas.Token()
    /// 0…1, of the layer with its sublayers as one.
    public var opacity: Float = 1 { didSet { if opacity != oldValue { changed() } } }
    public var isHidden = false { didSet { if isHidden != oldValue { changed() } } }
    /// How it is put over what is behind it.
    public var blendMode = BlendMode.normal { didSet { if blendMode != oldValue { changed() } } }
    /// Whether sublayers are cut off at the shape's edge.
    public var clipsToBounds = false { didSet { if clipsToBounds != oldValue { changed() } } }
    /// Shaders of one's own over the layer with its sublayers, one after the other. Their positions are the layer's points.
    public var effects: [ShaderEffect] = [] { didSet { if effects != oldValue { changed() } } }
    /// The standard deviation of a Gaussian blur of the layer with its sublayers, points.
    public var blur: Float = 0 { didSet { if blur != oldValue { changed() } } }
    public var shadow: Shadow? { didSet { if shadow != oldValue { changed() } } }
    /// Its alpha multiplies the layer's; placed in this layer's coordinates, as a sublayer is.
    public var mask: Layer? {
        get { ownedMask }
        set { setMask(newValue) }
    }
    private var ownedMask: Layer?
    /// Whether `hitTest` finds it and its sublayers. Default true.
    public var allowsHitTesting = true

    // MARK: Changes

    /// Rises with every change of this layer, of its sublayers and masks.
    public private(set) var changeCount: UInt64 = 0
    /// Told of every change in the tree below, on the root.
    public var onChange: (() -> Void)?

    public init(name: String = "", bounds: Rectangle = .zero, position: Vector2 = Vector2(0, 0)) {
        (self.name, self.bounds, self.position) = (name, bounds, position)
    }

    /// Placed so that it covers `frame` of its parent; its own coordinates begin in its upper left corner.
    public convenience init(name: String = "", frame: Rectangle) {
        self.init(name: name, bounds: Rectangle(origin: Vector2(0, 0), size: frame.size), position: frame.center)
    }

    deinit {
        fill?.drawing?.content.detach(self)
        for layer in sublayers { layer.parentReference = nil }
        ownedMask?.parentReference = nil
    }

    /// Redraws the layer, with its `.drawing` fill if it has one: call it after a change that the layer cannot observe.
    public func setNeedsDisplay() {
        guard let drawing = fill?.drawing else { return changed() }
        drawing.setNeedsDisplay()
    }

    /// The drawing that fills the layer has changed.
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
    /// Puts a layer on top of the others, taking it from where it was. A layer can't be put on itself or on what lies on it: that does nothing
    /// but stop a debug build.
    public func add(_ layer: Layer) { insert(layer, at: layer.parentReference === self ? sublayers.count - 1 : sublayers.count) }

    /// `index` is where it is afterwards, held to the possible places.
    public func insert(_ layer: Layer, at index: Int) {
        if liesOn(layer) { return assertionFailure("a layer can't lie on itself") }
        layer.removeFromParent()
        sublayers.insert(layer, at: min(max(index, 0), sublayers.count))
        layer.parentReference = self
        changed()
    }

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
        if let layer, liesOn(layer) { return assertionFailure("a layer can't mask what it lies on") }
        ownedMask?.parentReference = nil
        layer?.removeFromParent()
        ownedMask = layer
        layer?.parentReference = self
        changed()
    }

    /// Whether it is `other` or lies on it.
    private func liesOn(_ other: Layer) -> Bool {
        var ancestor: Layer? = self
        while let next = ancestor {
            if next === other { return true }
            ancestor = next.parentReference
        }
        return false
    }

    /// The first of that name, itself first, then depth first.
    public func layer(named name: String) -> Layer? {
        if self.name == name { return self }
        for layer in sublayers {
            if let found = layer.layer(named: name) { return found }
        }
        return nil
    }
}
