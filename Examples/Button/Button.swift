// A button that glows, ripples and gathers particles, to copy from. main.swift only shows it in a window or renders frames, and
// Examples/Web/Button shows it in a page: for that, `throws` has a type.
//
// The reference's numbers: glow in 0.4 s up and 0.4 s down with amplitude 3, border of 4 points; ripple of amplitude 2, frequency 4, decay 10, 800 points
// per second, 1 s; 32 particles of radius 4…30, velocity (5, 5), in pixels of the drawable. Differences: a touch during the fade continues the glow
// from its current value, where the reference restarts it at 0; particles are drawn by a render pass in place of the compute pass.
import Vitrine

/// A button in the shape of a capsule. While a finger presses it, its border glows around the touch, a ripple runs outwards, and particles gather.
/// After the release the glow fades.
@MainActor final class GlowButton {
    /// The layer of the button; add it to a tree.
    let layer: Layer
    /// Called when a finger presses the button: start a haptic effect or a sound here.
    var onTouchDown: () -> Void = {}

    private let border: Layer
    private let cloud = ParticleCloud()
    private let particles: ParticleDrawing
    private var press: PressGesture
    /// The strength of the glow, which rises and falls in 0.4 seconds from its current value.
    private var glow = Animated<Float>(0)
    private var touch = Vector2(0, 0)
    private var rippleStart: (position: Vector2, time: Double)?

    static let palette = [0xFF5E3A, 0xFF9F1C, 0xF72585, 0x7209B7, 0x4CC9F0, 0xFF5E3A].map { Color(sRGB: $0) }

    init(_ title: String, frame: Rectangle) throws(TextError) {
        layer = Layer(name: title, frame: frame)
        border = Layer(name: "border", frame: layer.bounds)
        particles = ParticleDrawing(cloud)
        press = PressGesture(bounds: frame)
        // The reference simulates in pixels of the drawable, not in points.
        cloud.settings.unit = .pixels
        layer.shape = .capsule
        layer.fill = .gradient(.vertical([Color(sRGB: 0x2A2140), Color(sRGB: 0x15101F)]))
        layer.shadow = Shadow(radius: 10, offset: [0, 8], opacity: 0.35)
        layer.clipsToBounds = true

        let haze = Layer(name: "particles", frame: layer.bounds)
        haze.fill = .drawing(particles)
        let label = try Layer(text: title, size: frame.size.y * 0.34, color: .white)
        label.position = layer.bounds.center
        // The blurred stroke is constant; only the light on it changes.
        let stroke = Layer(frame: border.bounds)
        stroke.shape = .capsule
        stroke.stroke = Stroke(.gradient(Gradient(.conic(), Self.palette)), width: 4, placement: .inside)
        stroke.blur = 1.5
        border.add(stroke)
        for part in [haze, label, border] { layer.add(part) }
        _ = update(at: 0)
    }

    func handle(_ event: InputEvent) {
        for change in press.handle(event) {
            touch = change.value.location - press.bounds.origin
            switch change.phase {
            case .began:
                glow.animate(to: 1, with: .linear(duration: 0.4), at: change.time)
                rippleStart = (touch, change.time)
                onTouchDown()
            case .changed: break
            case .ended, .cancelled: glow.animate(to: 0, with: .linear(duration: 0.4), at: change.time)
            }
        }
    }

    /// Updates the effects and the particles to a time in seconds.
    ///
    /// - Returns: Whether the animation continues.
    func update(at time: Double) -> Bool {
        let progress = clamp(glow.value(at: time), 0, 1)
        border.isHidden = progress == 0
        border.effects = progress > 0 ? [.glow(at: touch, progress: progress)] : []
        (cloud.center, cloud.progress) = (touch / layer.bounds.size, progress)
        particles.advance(to: time)
        let age = rippleStart.map { Float(time - $0.time) } ?? 1
        layer.effects = age < 1 ? [.ripple(at: rippleStart?.position ?? .zero, time: age)] : []
        return press.isActive || progress > 0 || age < 1
    }
}

/// Creates a view with the button in its middle, on a light background.
@MainActor func makeView(size: Vector2, onTouchDown: @escaping () -> Void) throws(TextError) -> LayerView {
    let view = LayerView(background: Color(sRGB: 0xECE8E1))
    let frame = Rectangle(origin: size * Vector2(0.15, 0.32), size: size * Vector2(0.7, 0.36))
    let button = try GlowButton("Touch me", frame: frame)
    button.onTouchDown = onTouchDown
    view.root.add(button.layer)
    view.onEvent = { button.handle($0) }
    view.onUpdate = { button.update(at: $0) }
    return view
}
