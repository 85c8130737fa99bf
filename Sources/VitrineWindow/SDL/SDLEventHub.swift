internal import CSDL
import VitrineMath
import VitrineMotion

/// Distributes the events of SDL's single queue to the windows.
@MainActor
final class SDLEventHub {
    static let shared = SDLEventHub()

    private var mailboxes: [EventMailbox] = []
    /// The modifiers that are held at the event being read. `SDL_GetModState` describes the end of the queue: a key that was pressed and released during a
    /// long frame would have lost its modifiers.
    private var modifiers = KeyModifiers()

    func open(for window: SDLWindow) -> EventMailbox {
        let mailbox = EventMailbox(window: window)
        mailboxes.append(mailbox)
        return mailbox
    }

    func close(_ mailbox: EventMailbox) { mailboxes.removeAll { $0 === mailbox } }

    /// Reads all events that have arrived from the window system.
    func pump() {
        var event = SDL_Event()
        while SDL_PollEvent(&event) != 0 {
            let type = SDL_EventType(event.type)
            if type == SDL_KEYDOWN || type == SDL_KEYUP { modifiers = KeyModifiers(SDL_Keymod(UInt32(event.key.keysym.mod))) }
            for mailbox in mailboxes { mailbox.deliver(event, modifiers: modifiers) }
            // Game controllers do not belong to a window.
            if var input = SDLGamepads.shared.translate(event) {
                input.modifiers = modifiers
                for mailbox in mailboxes { mailbox.deliver(input) }
            }
            // The receiver of the event must free the path.
            if type == SDL_DROPFILE || type == SDL_DROPTEXT, let file = event.drop.file { SDL_free(file) }
        }
    }
}

/// The pending events of one window.
@MainActor
final class EventMailbox {
    private let window: SDLWindow
    private var translator: SDLEventTranslator
    private var events: [WindowEvent] = []

    init(window: SDLWindow) {
        self.window = window
        translator = SDLEventTranslator(windowID: window.id)
    }

    func deliver(_ event: SDL_Event, modifiers: KeyModifiers) {
        if let event = translator.translate(event, modifiers: modifiers, size: window.size) { events.append(event) }
    }

    func deliver(_ input: InputEvent) { events.append(.input(input)) }

    func takeAll() -> [WindowEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }
}
