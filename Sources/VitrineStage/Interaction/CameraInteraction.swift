import VitrineMath
import VitrineMotion

/// Translates input events into camera actions, and sends each drag, from start to end, either to the camera or to the program.
package struct CameraInteraction {
    /// The result of an event.
    package enum Action: Equatable, Sendable {
        /// A gesture for the camera.
        case gesture(CameraGesture)
        /// A drag for the program.
        case drag(ViewDrag)
        /// The current input of a game controller.
        case steer(OrbitController.Steering)
        case command(CameraCommand)
    }

    private var recognizer = CameraGestureRecognizer()
    private var gamepad = Gamepad()
    /// The translation of the program's drag in points; nil if the camera has the drag.
    private var programDrag: Vector2?

    package init() {}

    /// Returns the actions of an event, in order.
    ///
    /// - Parameters:
    ///   - handsOutDrags: Whether the program receives drags with the left button or one finger that begin now.
    ///   - recognizesGestures: Whether to handle pointer and touch events.
    package mutating func handle(_ event: InputEvent, handsOutDrags: Bool, recognizesGestures: Bool) -> [Action] {
        switch event.kind {
        case .keyPressed(let key, let isRepeat):
            guard let command = CameraCommand(key, event.modifiers), !isRepeat || command.repeats else { return [] }
            return [.command(command)]
        case .gamepad(let pad, _):
            let steering = steer(event)
            return pad == .pressed(.south)
                ? [steering, .command(.fit)] : pad == .pressed(.north) ? [steering, .command(.reset)] : [steering]
        default:
            let released = event.kind == .focusLost ? [steer(event)] : []
            guard recognizesGestures else { return released }
            return released + recognizer.handle(event).flatMap { route($0, at: event.time, handsOutDrags: handsOutDrags) }
        }
    }

    private mutating func steer(_ event: InputEvent) -> Action {
        gamepad.handle(event)
        return .steer(OrbitController.Steering(gamepad))
    }

    private mutating func route(_ gesture: CameraGesture, at time: Double, handsOutDrags: Bool) -> [Action] {
        switch gesture {
        case .dragBegan(.orbit) where handsOutDrags:
            programDrag = .zero
            return [.drag(ViewDrag(phase: .began, translation: .zero, time: time))]
        case .dragged(let step):
            guard let translation = programDrag else { return [.gesture(gesture)] }
            programDrag = translation + step
            return [.drag(ViewDrag(phase: .changed, translation: translation + step, time: time))]
        case .dragBegan, .dragEnded:
            guard let translation = programDrag else { return [.gesture(gesture)] }
            programDrag = nil
            let end = Action.drag(ViewDrag(phase: .ended, translation: translation, time: time))
            return gesture == .dragEnded ? [end] : [end, .gesture(gesture)]
        default: return [.gesture(gesture)]
        }
    }
}
