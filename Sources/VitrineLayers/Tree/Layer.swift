import VitrineGeometry
import VitrineScene

/// A flat shape in 3D space with a fill, a stroke and sublayers.
///
/// ```swift
/// let card = Layer(frame: Rectangle(x: 40, y: 40, width: 320, height: 200))
/// card.cornerRadius = 24
/// card.fill = .color(Color(sRGB: 0x1B5E8C))
/// card.stroke = Stroke(.white, width: 2, placement: .inside)
/// card.transform = Matrix4(perspectiveDistance: 600) * Matrix4(Matrix3(Quaternion(angle: .degrees(30), axis: [0, 1, 0])))
/// root.add(card)
/// let image = try LayerRenderer().image(of: root, size: [400, 280], scale: 3)
/// ```
///
/// **Coordinates**: Points; x to the right, y down, z towards the viewer. A layer's `bounds` are in its plane z = 0. `position` is the position of
/// its anchor point in the parent, `zPosition` its distance in front of the parent's plane, and `transform` acts about the anchor point:
/// `parentFromLayer = T(position, zPosition) · transform · T(−anchor)`. Sublayers are also transformed by `sublayerTransform`, about the same
/// point, and by `perspectiveDistance`.
///
/// **Depth**: Layers of one parent are drawn by depth, and at equal depth in the order of `sublayers`. By default a layer is flattened: its
/// sublayers are projected onto its plane. With `isFlattened = false`, they share the 3D space of the layer's siblings.
///
/// **Order**: Fill, stroke, sublayers (clipped to the shape with `clipsToBounds`); then, for all of them as a group: effects, blur, mask, shadow,
/// opacity, blend mode.
///
/// A parent retains its sublayers; a layer does not retain its parent. Use the layers of one tree from one thread at a time.
public final class Layer {
    /// The name, for `layer(named:)`.
    public var name: String
    /// The sublayers, from back to front.
    public private(set) var sublayers: [Layer] = []
    /// Not retained; the parent's deinit clears it.
    private unowned(unsafe) var parentReference: Layer?
    /// The layer of which this is a sublayer or the mask.
    public var parent: Layer? { parentReference }

    /// The bounds and the position in space.
    private var placement: LayerPlacement { didSet { if placement != oldValue { changed() } } }
    /// The properties with which the group is composited.
    private var compositing = Compositing() { didSet { if compositing != oldValue { changed() } } }
    private var storedMask: Layer?
    /// Replaced when the coverage of the path changes.
    private(set) var outlineToken = MaskAtlas.Token()

    private struct Compositing: Equatable {
        var isDoubleSided = true
        var isFlattened = true
        var cornerRadius: Float = 0
        var opacity: Float = 1
        var isHidden = false
        var blendMode = BlendMode.normal
        var clipsToBounds = false
        var effects: [ShaderEffect] = []
        var blur: Float = 0
        var shadow: Shadow?
    }

    /// The shape of the layer. Default: a rectangle.
    public var shape = LayerShape.rectangle {
        didSet {
            outlineToken = MaskAtlas.Token()
            changed()
        }
    }
    /// The fill of the shape; nil for none.
    public var fill: Fill? {
        didSet {
            oldValue?.drawing?.content.detach(self)
            fill?.drawing?.content.attach(self)
            changed()
        }
    }
    /// The stroke along the outline of the shape; nil for none.
    public var stroke: Stroke? {
        didSet {
            guard stroke != oldValue else { return }
            if stroke?.outline != oldValue?.outline { outlineToken = MaskAtlas.Token() }
            changed()
        }
    }
    /// Whether `hitTest` considers the layer and its sublayers. Default true.
    public var allowsHitTesting = true

    // MARK: Changes

    /// The version, incremented by every change of this layer, its sublayers and masks.
    public private(set) var changeCount: UInt64 = 0
    /// Called on the root after every change in its tree.
    public var onChange: (() -> Void)?

    /// Creates a layer.
    public init(name: String = "", bounds: Rectangle = .zero, position: Vector2 = Vector2(0, 0)) {
        self.name = name
        placement = LayerPlacement(bounds: bounds, position: position)
    }

    /// Creates a layer that covers `frame` in its parent. The origin of its coordinates is its upper left corner.
    public convenience init(name: String = "", frame: Rectangle) {
        self.init(name: name, bounds: Rectangle(origin: Vector2(0, 0), size: frame.size), position: frame.center)
    }

    deinit {
        fill?.drawing?.content.detach(self)
        for layer in sublayers { layer.parentReference = nil }
        storedMask?.parentReference = nil
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

// MARK: - Placement

extension Layer {
    /// The rectangle of the shape, in the layer's coordinates. Default: empty, at the origin.
    public var bounds: Rectangle {
        get { placement.bounds }
        set { placement.bounds = newValue }
    }
    /// The position of the anchor point in the parent's coordinates.
    public var position: Vector2 {
        get { placement.position }
        set { placement.position = newValue }
    }
    /// The origin of `position` and of transforms, in fractions of `bounds` from the upper left. Default: the centre.
    public var anchorPoint: Vector2 {
        get { placement.anchorPoint }
        set { placement.anchorPoint = newValue }
    }
    /// The distance in front of the parent's plane, in points.
    public var zPosition: Float {
        get { placement.zPosition }
        set { placement.zPosition = newValue }
    }
    /// The transform about the anchor point. May be projective.
    public var transform: Matrix4 {
        get { placement.transform }
        set { placement.transform = newValue }
    }
    /// The transform of all sublayers, about this layer's anchor point.
    public var sublayerTransform: Matrix4 {
        get { placement.sublayerTransform }
        set { placement.sublayerTransform = newValue }
    }
    /// The distance d in points of the eye in front of the anchor point, for the perspective of sublayers after `sublayerTransform` (m34 = −1/d:
    /// w = 1 − z/d). nil for no perspective.
    public var perspectiveDistance: Float? {
        get { placement.perspectiveDistance }
        set { placement.perspectiveDistance = newValue }
    }

    /// The rectangle of the parent that an untransformed layer covers. Setting it moves the layer and gives its bounds this size.
    public var frame: Rectangle {
        get { placement.frame }
        set { placement.frame = newValue }
    }
    /// The anchor point in the layer's coordinates.
    var anchor: Vector2 { placement.anchor }
    /// The transform to the space of the parent's sublayers.
    public var parentFromLayer: Matrix4 { placement.parentFromLayer }
    /// The transform of sublayers to this layer's space.
    var sublayerMatrix: Matrix4 { placement.sublayerMatrix }
    /// Whether the bounds are finite and not empty, as all shapes except paths require.
    var hasExtent: Bool { placement.hasExtent }
}

// MARK: - Compositing

extension Layer {
    /// Whether the layer is visible from behind. Default true.
    public var isDoubleSided: Bool {
        get { compositing.isDoubleSided }
        set { compositing.isDoubleSided = newValue }
    }
    /// Whether sublayers are projected onto this layer's plane. If false, they share the parent's 3D space. Default true.
    ///
    /// Properties of the whole group (opacity below 1 with sublayers, blur, mask, shadow, clipping, blend mode) always flatten the layer.
    public var isFlattened: Bool {
        get { compositing.isFlattened }
        set { compositing.isFlattened = newValue }
    }
    /// The corner radius of rectangles in points, clamped to half the shorter side.
    public var cornerRadius: Float {
        get { compositing.cornerRadius }
        set { compositing.cornerRadius = newValue }
    }
    /// The opacity of the layer with its sublayers as a group, 0…1.
    public var opacity: Float {
        get { compositing.opacity }
        set { compositing.opacity = newValue }
    }
    /// Whether the layer and its sublayers are invisible.
    public var isHidden: Bool {
        get { compositing.isHidden }
        set { compositing.isHidden = newValue }
    }
    /// The mode in which the layer blends with its backdrop.
    public var blendMode: BlendMode {
        get { compositing.blendMode }
        set { compositing.blendMode = newValue }
    }
    /// Whether sublayers are clipped to the shape.
    public var clipsToBounds: Bool {
        get { compositing.clipsToBounds }
        set { compositing.clipsToBounds = newValue }
    }
    /// Shader effects on the layer with its sublayers, applied in order. Their positions are in points of the layer.
    public var effects: [ShaderEffect] {
        get { compositing.effects }
        set { compositing.effects = newValue }
    }
    /// The standard deviation of a Gaussian blur of the layer with its sublayers, in points.
    public var blur: Float {
        get { compositing.blur }
        set { compositing.blur = newValue }
    }
    /// The shadow; nil for none.
    public var shadow: Shadow? {
        get { compositing.shadow }
        set { compositing.shadow = newValue }
    }
    /// A layer whose alpha multiplies that of this layer; positioned like a sublayer.
    public var mask: Layer? {
        get { storedMask }
        set { setMask(newValue) }
    }

    /// The effective radius of the corners.
    var drawnCornerRadius: Float {
        let shorter = min(bounds.size.x, bounds.size.y)
        switch shape {
        case .capsule: return shorter / 2
        case .rectangle: return cornerRadius > 0 ? min(cornerRadius, shorter / 2) : 0
        default: return 0
        }
    }

    /// Whether the layer needs a separate surface before it is composited.
    var isIsolated: Bool {
        if mask != nil || blendMode != .normal || blur > 0 || shadow != nil || hasEffects { return true }
        if clipsToPath { return true }
        // The opacity of a single shape multiplies its colours.
        return opacity < 1 && !sublayers.isEmpty
    }

    var hasEffects: Bool { effects.contains { $0.isEnabled } }

    /// Whether sublayers are clipped to a path, which requires a mask.
    var clipsToPath: Bool {
        if clipsToBounds, !sublayers.isEmpty, case .path = shape { return true }
        return false
    }

    /// Whether sublayers share the 3D space of this layer.
    var preservesDepth: Bool { !isFlattened && !isIsolated && !clipsToBounds }

    /// Returns the extent of the layer in its plane: shape, stroke and sublayers, without blur and shadow.
    func extent(withSublayers: Bool = true, depth: Int = 0) -> Rectangle {
        var own = Rectangle.zero
        if case .path(let path, _) = shape {
            if let box = path.controlBounds { own = Rectangle(origin: box.minimum, size: box.maximum - box.minimum) }
        } else if hasExtent {
            own = bounds
        }
        if !own.isEmpty, let stroke { own = own.inset(by: -stroke.reach.outside) }
        guard withSublayers, !clipsToBounds, depth < LayerPlanner.greatestDepth else { return own }
        for layer in sublayers where !layer.isHidden {
            let inner = layer.extent(depth: depth + 1)
            if inner.isEmpty { continue }
            let map = Homography(sublayerMatrix * layer.parentFromLayer)
            let (low, high) = (SIMD2<Double>(inner.minimum), SIMD2<Double>(inner.maximum))
            for point in map.map([low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]) {
                own = own.union(Rectangle(origin: Vector2(point), size: Vector2(repeating: 1e-3)))
            }
        }
        return own
    }
}

// MARK: - The tree

extension Layer {
    /// Adds a layer in front of the other sublayers, removing it from its parent. Adding a layer to itself or to its descendants has no effect and
    /// is an assertion failure in debug builds.
    public func add(_ layer: Layer) { insert(layer, at: layer.parentReference === self ? sublayers.count - 1 : sublayers.count) }

    /// Inserts a layer at an index, which is clamped to the valid range.
    public func insert(_ layer: Layer, at index: Int) {
        if isDescendantOrMask(layer) { return assertionFailure("a layer cannot be its own descendant") }
        layer.removeFromParent()
        sublayers.insert(layer, at: min(max(index, 0), sublayers.count))
        layer.parentReference = self
        changed()
    }

    /// Removes the layer from its parent, as a sublayer or a mask.
    public func removeFromParent() {
        guard let parent = parentReference else { return }
        if parent.storedMask === self {
            parent.storedMask = nil
        } else if let index = parent.sublayers.firstIndex(where: { $0 === self }) {
            parent.sublayers.remove(at: index)
        }
        parentReference = nil
        parent.changed()
    }

    private func setMask(_ layer: Layer?) {
        guard layer !== storedMask else { return }
        if let layer, isDescendantOrMask(layer) { return assertionFailure("a layer cannot mask its ancestor") }
        storedMask?.parentReference = nil
        layer?.removeFromParent()
        storedMask = layer
        layer?.parentReference = self
        changed()
    }

    /// Returns whether the layer is `other` or a descendant of it.
    private func isDescendantOrMask(_ other: Layer) -> Bool {
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
