/// The layers over the camera image: box, ring and points, message, shot counter, dial and buttons.
final class CaptureOverlay {
    let root = Layer(name: "capture")
    private let font: Font?
    private let object = ObjectLayers()
    private let flash = Layer(name: "flash")
    private let arrow = Layer(name: "arrow")
    private let message: Pill
    private let counter: CaptureLabel
    private let counterCaption: CaptureLabel
    private let counterPanel = Layer(name: "counter")
    private let dialPanel = Layer(name: "dial panel")
    private let dial: DialLayer
    private var buttons: [CaptureCommand: Button] = [:]
    private var hovered: CaptureCommand?

    private static let margin: Float = 20
    private static let dialRadius: Float = 76

    init(font: Font?) {
        self.font = font
        message = Pill(size: 20, font: font)
        counter = CaptureLabel(size: 34, font: font)
        counterCaption = CaptureLabel(size: 13, color: CaptureStyle.soft, font: font)
        dial = DialLayer(radius: Self.dialRadius, font: font)
        for panel in [counterPanel, dialPanel] {
            panel.fill = .color(CaptureStyle.panel)
            panel.cornerRadius = 18
            panel.allowsHitTesting = false
        }
        dialPanel.shape = .ellipse
        flash.fill = .color(.white)
        flash.allowsHitTesting = false
        arrow.allowsHitTesting = false
        arrow.fill = .color(CaptureStyle.problem)
        var shape = Path()
        shape.move(to: Vector2(26, 0))
        shape.line(to: Vector2(-8, 22))
        shape.line(to: Vector2(0, 0))
        shape.line(to: Vector2(-8, -22))
        shape.close()
        arrow.shape = .path(shape)
        arrow.bounds = Rectangle(x: -26, y: -26, width: 52, height: 52)
        arrow.stroke = Stroke(Color(white: 0, alpha: 0.4), width: 1.5, placement: .outside)
        for layer in [object.layer, flash, arrow, counterPanel, dialPanel, dial.layer, message.layer] { root.add(layer) }
        counterPanel.add(counter.layer)
        counterPanel.add(counterCaption.layer)
        for command in CaptureCommand.allCases {
            let button = Button(command, font: font)
            buttons[command] = button
            root.add(button.layer)
        }
    }

    func update(_ display: CaptureDisplay, orientation: InterfaceOrientation, size: Vector2) {
        root.frame = Rectangle(origin: Vector2(0, 0), size: size)
        object.update(display, orientation: orientation, size: size)
        flash.frame = root.frame
        let since = display.secondsSinceShot ?? 1
        flash.opacity = Float(max(0, 0.5 * (1 - since / 0.25)))
        flash.isHidden = flash.opacity == 0
        updateArrow(display, size)
        let text = display.message
        message.set(
            text.text, color: text.isProblem ? CaptureStyle.problem : CaptureStyle.ink, maximumWidth: size.x - 2 * Self.margin - 140)
        message.layer.position = Vector2(size.x / 2, Self.margin + message.layer.bounds.size.y / 2)
        updateCounter(display, size)
        let isDialShown = display.state == .capturing && display.box != nil
        dial.update(display.dial, isActive: isDialShown)
        dial.layer.position = Vector2(Self.margin + 10 + Self.dialRadius, size.y - Self.margin - 10 - Self.dialRadius)
        dialPanel.frame = Rectangle(
            x: Self.margin, y: size.y - Self.margin - 2 * Self.dialRadius - 20, width: 2 * Self.dialRadius + 20,
            height: 2 * Self.dialRadius + 20)
        dialPanel.isHidden = !isDialShown
        updateButtons(display, size)
    }

    /// The enabled command at a point.
    func command(at point: Vector2) -> CaptureCommand? {
        buttons.first { !$0.value.layer.isHidden && $0.value.isEnabled && $0.value.layer.frame.contains(point) }?.key
    }

    /// The handle of the box at a point; buttons are in front of it.
    func handle(at point: Vector2) -> BoxHandle? { command(at: point) == nil ? object.handle(at: point) : nil }

    /// Highlights the button or the handle at a point.
    ///
    /// - Parameter dragged: The handle that is dragged: it stays highlighted.
    /// - Returns: Whether that changed anything.
    func hover(_ point: Vector2?, dragged: BoxHandle? = nil) -> Bool {
        let (new, handle) = (point.flatMap { command(at: $0) }, dragged ?? point.flatMap { self.handle(at: $0) })
        guard new != hovered || handle != object.activeHandle else { return false }
        (hovered, object.activeHandle) = (new, handle)
        return true
    }

    // MARK: Parts

    private func updateArrow(_ display: CaptureDisplay, _ size: Vector2) {
        guard display.state == .capturing, let direction = display.direction else {
            arrow.isHidden = true
            return
        }
        arrow.isHidden = false
        let to = Vector2(direction)
        // On an ellipse inside of the view.
        arrow.position = size / 2 + Vector2(to.x * (size.x / 2 - 90), to.y * (size.y / 2 - 110))
        arrow.transform = Matrix4(Matrix3(Quaternion(angle: Angle(radians: atan2(to.y, to.x)), axis: Vector3(0, 0, 1))))
    }

    private func updateCounter(_ display: CaptureDisplay, _ size: Vector2) {
        counter.set("\(display.shotCount)")
        counterCaption.set(display.shotCount == 1 ? "shot" : "shots")
        let width = max(84, counter.width + 36)
        counterPanel.frame = Rectangle(x: size.x - Self.margin - width, y: Self.margin, width: width, height: 74)
        counter.layer.position = Vector2(width / 2, 28)
        counterCaption.layer.position = Vector2(width / 2, 56)
        switch display.state {
        case .initializing, .ready, .detecting: counterPanel.isHidden = display.shotCount == 0
        default: counterPanel.isHidden = false
        }
    }

    private func updateButtons(_ display: CaptureDisplay, _ size: Vector2) {
        let shown = display.commands
        for (command, button) in buttons where !shown.contains(command) { button.layer.isHidden = true }
        let gap: Float = 10
        for command in shown {
            let isOn = command == .toggleAutomatic ? display.isAutomatic : nil
            buttons[command]?.update(
                isEnabled: display.isEnabled(command), isSuggested: display.suggestion == command, isHovered: hovered == command, isOn: isOn
            )
        }
        // Beside the dial.
        let left = display.state == .capturing && display.box != nil ? 2 * Self.margin + 2 * Self.dialRadius + 20 : Self.margin
        func layOut(isCompact: Bool) -> (widths: [Float], total: Float) {
            let widths = shown.map { buttons[$0]?.layOut(isCompact: isCompact) ?? 0 }
            return (widths, widths.reduce(0, +) + gap * Float(max(0, shown.count - 1)))
        }
        var (widths, total) = layOut(isCompact: false)
        // A narrow view has no room for the names of keys.
        if left + total > size.x - Self.margin { (widths, total) = layOut(isCompact: true) }
        var x = max(left, (size.x - total) / 2)
        for (command, width) in zip(shown, widths) {
            buttons[command]?.layer.position = Vector2(x + width / 2, size.y - Self.margin - 26)
            x += width + gap
        }
    }
}

/// A text in a capsule.
private final class Pill {
    let layer = Layer(name: "message")
    private let label: CaptureLabel
    private let size: Float

    init(size: Float, font: Font?) {
        self.size = size
        label = CaptureLabel(size: size, font: font)
        layer.shape = .capsule
        layer.fill = .color(CaptureStyle.panel)
        layer.allowsHitTesting = false
        layer.add(label.layer)
    }

    func set(_ text: String, color: Color, maximumWidth: Float) {
        label.set(text)
        label.color = color
        let width = label.width + 2 * size
        layer.bounds = Rectangle(x: 0, y: 0, width: width, height: 2.3 * size)
        label.layer.position = layer.bounds.center
        // Long errors shrink to the view.
        let scale = min(1, maximumWidth / max(width, 1))
        layer.transform = Matrix4(scale: Vector3(scale, scale, 1))
    }
}

/// A button with the name of its key.
private final class Button {
    let layer = Layer(name: "button")
    private(set) var isEnabled = true
    private let title: CaptureLabel
    private let key: CaptureLabel
    private let keyCap = Layer(name: "key")
    private static let height: Float = 52

    init(_ command: CaptureCommand, font: Font?) {
        title = CaptureLabel(size: 17, font: font)
        key = CaptureLabel(size: 11, font: font)
        title.set(command.title)
        key.set(command.key.name)
        keyCap.bounds = Rectangle(x: 0, y: 0, width: max(22, key.width + 12), height: 20)
        keyCap.cornerRadius = 5
        keyCap.add(key.layer)
        key.layer.position = keyCap.bounds.center
        layer.cornerRadius = 16
        layer.add(title.layer)
        layer.add(keyCap)
        title.layer.position = Vector2(18 + title.width / 2, Self.height / 2)
        _ = layOut(isCompact: false)
    }

    /// Sets the size and returns the width.
    ///
    /// - Parameter isCompact: Omits the name of the key.
    func layOut(isCompact: Bool) -> Float {
        let width = title.width + (isCompact ? 36 : keyCap.bounds.size.x + 44)
        keyCap.isHidden = isCompact
        layer.bounds = Rectangle(x: 0, y: 0, width: width, height: Self.height)
        keyCap.position = Vector2(width - 16 - keyCap.bounds.size.x / 2, Self.height / 2)
        return width
    }

    func update(isEnabled: Bool, isSuggested: Bool, isHovered: Bool, isOn: Bool?) {
        self.isEnabled = isEnabled
        layer.isHidden = false
        let isFilled = isSuggested && isEnabled
        layer.fill = .color(isFilled ? CaptureStyle.accent : CaptureStyle.panel)
        layer.stroke =
            isHovered
            ? Stroke(CaptureStyle.ink, width: 2, placement: .inside)
            : isOn == true ? Stroke(CaptureStyle.accent, width: 1.5, placement: .inside) : nil
        layer.opacity = isEnabled ? 1 : 0.45
        title.color = isFilled ? CaptureStyle.accentInk : isOn == false ? CaptureStyle.soft : CaptureStyle.ink
        key.color = isFilled ? CaptureStyle.accentInk : CaptureStyle.soft
        keyCap.fill = .color(isFilled ? Color(white: 0, alpha: 0.14) : CaptureStyle.faint)
    }
}
